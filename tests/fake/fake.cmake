# SPDX-License-Identifier: MIT
# Fake libraries of NICs, under the names that the real ones have: the tests of
# src/net/verbs are linked with them, so that the library, which opens them by name, finds
# these and no others. Reads verbs, the list of those tests.

function(mori_fake name source soname)
	add_library(${name} SHARED ${source})
	target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
	target_include_directories(${name} SYSTEM PRIVATE ${MORI_VERBS_INCLUDE})
	set_target_properties(${name} PROPERTIES
		C_VISIBILITY_PRESET default
		PREFIX "" SUFFIX "" OUTPUT_NAME ${soname} NO_SONAME OFF
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fake)
	target_link_options(${name} PRIVATE -Wl,-soname,${soname})
	target_link_libraries(${name} PRIVATE ${ARGN})
endfunction()

mori_fake(fake_ibverbs fake/ibverbs.c libibverbs.so.1 Threads::Threads)
target_sources(fake_ibverbs PRIVATE fake/serve.c fake/formats.c ${PROJECT_SOURCE_DIR}/src/nic/serve.c)
mori_fake(fake_mlx5 fake/mlx5.c libmlx5.so.1 fake_ibverbs)
mori_fake(fake_bnxt fake/bnxt.c libbnxt_re.so fake_ibverbs)
mori_fake(fake_ionic fake/ionic.c libionic.so.1 fake_ibverbs)

foreach(file IN LISTS verbs)
	cmake_path(GET file STEM name)
	target_include_directories(${name} SYSTEM PRIVATE ${MORI_VERBS_INCLUDE})
	target_link_options(${name} PRIVATE -Wl,--no-as-needed)
	target_link_libraries(${name} PRIVATE fake_ibverbs fake_mlx5 fake_bnxt fake_ionic)
endforeach()
