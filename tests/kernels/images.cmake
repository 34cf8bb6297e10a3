# SPDX-License-Identifier: MIT
# The modules that kern_*.c load: every source of this folder, with the device
# library and a table of its kernels, as a shared object in tests/kernels of the
# build folder. A sanitizer's build makes them with its own compiler and flags.

set(kern_flags -std=gnu11 -O2 -g -fPIC -fno-semantic-interposition -ffunction-sections -fdata-sections
	-Wall -Wextra ${MORI_WERROR_FLAG} -DMORI_CPU_KERNEL -I${PROJECT_SOURCE_DIR}/include
	-I${PROJECT_SOURCE_DIR}/src)
if(MORI_SANITIZE)
	set(MORI_KERNEL_CC ${CMAKE_C_COMPILER})
	list(APPEND kern_flags ${MORI_SANITIZE_FLAGS})
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		list(APPEND kern_flags -Wno-tsan "-DMORI_KERNEL=__attribute__((visibility(\"default\")))"
			"-DMORI_SHARED=static __attribute__((section(\"mori_shared\")))")
	endif()
else()
	find_program(MORI_KERNEL_CC clang-19 NO_CACHE)
endif()
if(NOT MORI_KERNEL_CC)
	message(STATUS "no clang-19: tests of kernels will skip")
	return()
endif()

set(kern_dir ${PROJECT_BINARY_DIR}/tests/kernels)
file(MAKE_DIRECTORY ${kern_dir})
file(GLOB kern_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.h
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/target/*.h
	${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/src/ops/*.h
	${PROJECT_SOURCE_DIR}/include/mori/*.h
	${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.h)
# kern_library(OBJECT [FLAG])
function(kern_library object)
	add_custom_command(OUTPUT ${kern_dir}/${object}
		COMMAND ${MORI_KERNEL_CC} ${kern_flags} ${ARGN} -c ${PROJECT_SOURCE_DIR}/src/dev/lib.c
			-o ${kern_dir}/${object}
		DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/lib.c ${kern_headers}
		COMMENT "Compiling the device library for kernels on the CPU ${ARGN}"
		VERBATIM)
endfunction()
kern_library(lib.o)
kern_library(lib_p2p_only.o -DMORI_P2P_ONLY) # without queues, as only GPUs have it otherwise

# kern_module(NAME SOURCE LIBRARY)
function(kern_module name file library)
	set(image ${kern_dir}/${name}.so)
	set(table ${kern_dir}/${name}_table.c)
	add_custom_command(OUTPUT ${image} ${table}
		COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/kernels/table.sh ${file} > ${table}
		COMMAND ${MORI_KERNEL_CC} ${kern_flags} -shared ${file} ${table} ${kern_dir}/${library}
			-Wl,--gc-sections -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/kernels/module.map
			-o ${image}
		DEPENDS ${file} ${kern_dir}/${library} ${kern_headers}
			${CMAKE_CURRENT_SOURCE_DIR}/kernels/table.sh
			${CMAKE_CURRENT_SOURCE_DIR}/kernels/module.map
		COMMENT "Linking the module ${name}"
		VERBATIM)
endfunction()

set(kern_images)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
foreach(file IN LISTS sources)
	cmake_path(GET file STEM name)
	set(image ${kern_dir}/${name}.so)
	if(name MATCHES "^(wrong_abi|no_library)$")
		add_custom_command(OUTPUT ${image}
			COMMAND ${MORI_KERNEL_CC} ${kern_flags} -shared ${file} -o ${image}
			DEPENDS ${file} VERBATIM)
	else()
		kern_module(${name} ${file} lib.o)
	endif()
	list(APPEND kern_images ${image})
endforeach()
kern_module(soak_p2p_only ${CMAKE_CURRENT_SOURCE_DIR}/kernels/soak.c lib_p2p_only.o)
list(APPEND kern_images ${kern_dir}/soak_p2p_only.so)
add_custom_target(mori_test_kernels ALL DEPENDS ${kern_images})
