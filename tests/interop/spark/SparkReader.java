// SPDX-License-Identifier: Apache-2.0
// Reads each NAME.parquet of a folder with Spark's own reader and as an Iceberg table with
// vectorized reads, and writes what it found as NAME.spark and NAME.iceberg, for
// parquet_interop.py. Beside each file NAME.json holds its Iceberg schema. Prints what failed.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
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
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    File[] files = folder.listFiles((parent, name) -> name.endsWith(".parquet"));
    Arrays.sort(files);
    int failures = 0;
    for (File file : files) {
      String name = file.getPath().replaceAll("\\.parquet$", "");
      JsonNode json = new ObjectMapper().readTree(new File(name + ".json"));
      Schema schema = SchemaParser.fromJson(json.get("schema").toString());
      try {
        write(readable(spark.read().parquet(file.getPath()), schema), name + ".spark");
      } catch (Exception error) {
        System.out.println(file.getName() + ", Spark: " + cause(error));
        ++failures;
      }
      try {
        write(readable(asTable(spark, file, schema), schema), name + ".iceberg");
      } catch (Exception error) {
        System.out.println(file.getName() + ", Iceberg: " + cause(error));
        ++failures;
      }
    }
    spark.stop();
    System.exit(failures == 0 ? 0 : 1);
  }

  static Dataset<Row> asTable(SparkSession spark, File file, Schema schema) {
    String location = file.getPath() + ".table";
    Table table =
        new HadoopTables(new Configuration())
            .create(
                schema,
                PartitionSpec.unpartitioned(),
                Map.of("read.parquet.vectorization.enabled", "true"),
                location);
    long rows = spark.read().parquet(file.getPath()).count();
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(file.toURI().toString())
                .withFormat("parquet")
                .withFileSizeInBytes(file.length())
                .withRecordCount(rows)
                .build())
        .commit();
    return spark.read().format("iceberg").load(location);
  }

  // Spark knows no time of day.
  static Dataset<Row> readable(Dataset<Row> rows, Schema schema) {
    List<String> names =
        schema.columns().stream()
            .filter(field -> !hasTime(field.type()))
            .map(field -> "`" + field.name() + "`")
            .collect(Collectors.toList());
    return rows.selectExpr(names.toArray(new String[0]));
  }

  static boolean hasTime(Type type) {
    if (!type.isNestedType()) return type.typeId() == Type.TypeID.TIME;
    return TypeUtil.indexById(Types.StructType.of(Types.NestedField.optional(-1, "f", type)))
        .values()
        .stream()
        .anyMatch(field -> field.type().typeId() == Type.TypeID.TIME);
  }

  static void write(Dataset<Row> rows, String to) {
    rows.coalesce(1).write().mode("overwrite").parquet(to);
  }

  static String cause(Throwable error) {
    while (error.getCause() != null) error = error.getCause();
    return String.valueOf(error).split("\n")[0];
  }
}
