# Third-party libraries. Each has one door: the module named beside it.
set(Boost_NO_WARN_NEW_VERSIONS ON)
find_package(Boost 1.81 REQUIRED)            # net
find_package(OpenSSL 3 REQUIRED)             # base (hashes), net (TLS)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)                # telemetry
find_package(prometheus-cpp REQUIRED)        # telemetry
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)               # ledger
find_package(yaml-cpp REQUIRED)              # app
find_package(CLI11 REQUIRED)                 # cli
find_package(ZLIB REQUIRED)                  # kafka/wire, serve/catalog
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)      # kafka/wire
pkg_check_modules(SNAPPY REQUIRED IMPORTED_TARGET snappy)   # kafka/wire
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)    # kafka/wire

# Arrow and Parquet C++ come inside the pyarrow wheel, which brings no CMake package.
file(GLOB _frazil_arrow "${FRAZIL_DEPS}/pyarrow/libarrow.so.[0-9]*")
file(GLOB _frazil_parquet "${FRAZIL_DEPS}/pyarrow/libparquet.so.[0-9]*")
if(NOT _frazil_arrow OR NOT _frazil_parquet)
  message(FATAL_ERROR "Arrow not found under FRAZIL_DEPS=${FRAZIL_DEPS}; run scripts/install_dependencies.sh")
endif()
foreach(name Arrow::arrow Parquet::parquet)
  add_library(${name} SHARED IMPORTED)
endforeach()
set_target_properties(Arrow::arrow PROPERTIES
  IMPORTED_LOCATION "${_frazil_arrow}"
  INTERFACE_INCLUDE_DIRECTORIES "${FRAZIL_DEPS}/pyarrow/include")
set_target_properties(Parquet::parquet PROPERTIES
  IMPORTED_LOCATION "${_frazil_parquet}"
  INTERFACE_LINK_LIBRARIES Arrow::arrow)
