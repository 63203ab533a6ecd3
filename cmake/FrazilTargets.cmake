# One function for each kind of target; every module goes through them.

add_library(frazil_options INTERFACE)
target_compile_options(frazil_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror -fvisibility=hidden)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # One baseline for every machine: the same instructions, so the same bytes.
  target_compile_options(frazil_options INTERFACE -march=x86-64-v2)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  target_compile_options(frazil_options INTERFACE -O2 -g1)
else()
  target_compile_options(frazil_options INTERFACE -O1 -g1)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(frazil_options INTERFACE -Wthread-safety)
  target_link_options(frazil_options INTERFACE -fuse-ld=lld-19)
else()
  find_program(FRAZIL_MOLD mold)
  if(FRAZIL_MOLD)
    target_link_options(frazil_options INTERFACE -fuse-ld=mold)
  endif()
endif()
if(FRAZIL_SANITIZE)
  target_compile_options(frazil_options INTERFACE
    -fsanitize=${FRAZIL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # g++ 12 sees what is not there once it instruments.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(frazil_options INTERFACE -fsanitize=${FRAZIL_SANITIZE})
endif()
if(FRAZIL_FUZZ)
  # Every module, so that the fuzzer sees which branches of a decoder an input reaches.
  target_compile_options(frazil_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
find_program(FRAZIL_CCACHE ccache)
if(FRAZIL_CCACHE)
  # Paths relative to the checkout, so that two checkouts share what is compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FRAZIL_CCACHE})
endif()

# frazil_target_name(kafka/wire VAR) sets VAR to frazil_kafka_wire.
function(frazil_target_name module out)
  string(REPLACE "/" "_" flat ${module})
  set(${out} frazil_${flat} PARENT_SCOPE)
endfunction()

# frazil_module(MODULE SOURCES ... [MODULES ...] [PUBLIC ...] [PRIVATE ...])
#   MODULES  modules whose headers this one's headers or sources include (tools/check_layers.py
#            holds them against the layer table)
#   PUBLIC   third-party targets that the module's headers need
#   PRIVATE  third-party targets that only its sources need
function(frazil_module module)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;PUBLIC;PRIVATE" ${ARGN})
  frazil_target_name(${module} target)
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  foreach(dependency IN LISTS ARG_MODULES)
    frazil_target_name(${dependency} dependency_target)
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} frazil_options)
endfunction()

# frazil_executable(NAME SOURCES ... [MODULES ...] [PRIVATE ...])
# OpenSSL is linked first: libparquet.so exports an OpenSSL of its own, and the first one wins.
function(frazil_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_options(${name} PRIVATE -Wl,--no-as-needed)
  target_link_libraries(${name} PRIVATE OpenSSL::SSL OpenSSL::Crypto)
  foreach(dependency IN LISTS ARG_MODULES)
    frazil_target_name(${dependency} dependency_target)
    target_link_libraries(${name} PRIVATE ${dependency_target})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE} frazil_options)
endfunction()

# frazil_test(MODULE SOURCES ... [MODULES ...] [PRIVATE ...]): one gtest binary, <module>_test.
# Test sources may read files below FRAZIL_TESTDATA (the module's test/testdata).
# `ctest -L unit` runs these, `ctest -L corpus` replays the fuzzers' corpora.
function(frazil_test module)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" flat ${module})
  frazil_executable(${flat}_test SOURCES ${ARG_SOURCES} MODULES ${module} ${ARG_MODULES}
    PRIVATE GTest::gmock GTest::gtest_main nlohmann_json::nlohmann_json ${ARG_PRIVATE})
  target_compile_definitions(${flat}_test PRIVATE
    FRAZIL_TESTDATA="${CMAKE_CURRENT_SOURCE_DIR}/test/testdata")
  add_test(NAME ${flat} COMMAND ${flat}_test)
  set_tests_properties(${flat} PROPERTIES LABELS unit TIMEOUT 300)
  if(FRAZIL_SANITIZE STREQUAL "thread")
    set_tests_properties(${flat} PROPERTIES ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan_suppressions.txt")
  endif()
endfunction()

# frazil_fuzzer(NAME SOURCE fuzz/x_fuzz.cc CORPUS fuzz/corpus/x MODULES ...)
# With FRAZIL_FUZZ a libFuzzer binary, otherwise a replay of the corpus that runs as a test.
function(frazil_fuzzer name)
  cmake_parse_arguments(ARG "" "SOURCE;CORPUS" "MODULES;PRIVATE" ${ARGN})
  set(sources ${ARG_SOURCE})
  if(NOT FRAZIL_FUZZ)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/src/base/fuzz/replay_main.cc)
  endif()
  frazil_executable(${name} SOURCES ${sources} MODULES ${ARG_MODULES} PRIVATE ${ARG_PRIVATE})
  if(FRAZIL_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY FRAZIL_FUZZERS "${name}=${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS}")
  else()
    add_test(NAME ${name} COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS})
    set_tests_properties(${name} PROPERTIES LABELS corpus TIMEOUT 300)
  endif()
endfunction()
