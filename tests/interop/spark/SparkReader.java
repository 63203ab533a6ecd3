// SPDX-License-Identifier: Apache-2.0
// Reads files with Spark's own reader and as Iceberg tables, both vectorized where they can, and
// writes what it found, for parquet_readers.py. Of each NAME.parquet of a folder it reads the
// columns of the Iceberg schemas NAME.spark_schema and NAME.iceberg_schema, where there are such,
// and writes NAME.spark and NAME.iceberg. Prints what it could not read.
import java.io.File;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

public class SparkReader {
  public static void main(String[] arguments) throws Exception {
    File folder = new File(arguments[0]);
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            .config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
            .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
            .config("spark.sql.parquet.enableNestedColumnVectorizedReader", "true")
            .config("spark.sql.iceberg.vectorization.enabled", "true")
            .config("spark.sql.catalog.default_iceberg", "org.apache.iceberg.spark.SparkCatalog")
            .config("spark.sql.catalog.default_iceberg.type", "hadoop")
            .config("spark.sql.catalog.default_iceberg.warehouse", folder.getPath())
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    File[] schemas = folder.listFiles((parent, name) -> name.endsWith("_schema"));
    Arrays.sort(schemas);
    for (File found : schemas) {
      Schema schema = SchemaParser.fromJson(Files.readString(found.toPath()));
      String result = found.getPath().replaceAll("_schema$", "");
      File file = new File(result.replaceAll("\\.[a-z]+$", ".parquet"));
      try {
        Dataset<Row> rows = spark.read().schema(SparkSchemaUtil.convert(schema)).parquet(file.getPath());
        if (result.endsWith(".iceberg")) rows = asTable(spark, file, schema, rows.count());
        rows.coalesce(1).write().parquet(result);
      } catch (Exception error) {
        System.out.println(file.getName() + ", " + result.replaceAll(".*\\.", "") + ": " + cause(error));
      }
    }
    spark.stop();
  }

  // A table of one file. A new table numbers its fields anew, so its schema is set afterwards.
  static Dataset<Row> asTable(SparkSession spark, File file, Schema schema, long rows) {
    String location = file.getPath() + ".table";
    PartitionSpec unpartitioned = PartitionSpec.unpartitioned();
    Map<String, String> properties = Map.of("read.parquet.vectorization.enabled", "true");
    Table table =
        new HadoopTables(new Configuration())
            .create(schema, unpartitioned, properties, location);
    TableOperations operations = ((BaseTable) table).operations();
    TableMetadata numbered =
        TableMetadata.buildFrom(operations.current())
            .setCurrentSchema(schema, schema.highestFieldId())
            .build();
    operations.commit(operations.current(), numbered);
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(unpartitioned)
                .withPath(file.toURI().toString())
                .withFormat("parquet")
                .withFileSizeInBytes(file.length())
                .withRecordCount(rows)
                .build())
        .commit();
    return spark.read().format("iceberg").load(location);
  }

  static String cause(Throwable error) {
    while (error.getCause() != null) error = error.getCause();
    return String.valueOf(error).split("\n")[0];
  }
}
