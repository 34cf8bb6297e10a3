# SPDX-License-Identifier: MIT
# Code objects for the interpreter of AMD's code, in tests/amd/<target> of the build folder: the
# kernels of the tests, and in its folder examples those of the examples. `make amd` makes all of
# them and runs amd/run over them; `make test` makes and runs a sample.

if(NOT MORI_AMD_LLD)
	message(STATUS "no lld: kernels for AMD GPUs are not tested")
	return()
endif()
set(amd_dir ${PROJECT_BINARY_DIR}/tests/amd)
set(amd_targets gfx942 gfx90a)
if(MORI_AMD_LLC MATCHES "llc-2[0-9]$") # LLVM 19 does not know it
	list(APPEND amd_targets gfx950)
endif()
# What a plain run takes: of gfx942 nearly all, of the others modules that compile fast.
set(amd_sample_gfx942 across atomic copy kept litmus meet nbi object params paths queue ring signal
	tickets told value wait warp windows)
set(amd_sample_gfx950 litmus meet object ring warp)
set(amd_sample_gfx90a nbi warp)
set(amd_sample_examples_gfx950 put_signal allreduce_read llvm_put_ring mlir_hello)
set(amd_sample_examples_gfx90a put_ring atomics)

# amd_image(TARGET NAME SOURCE [FLAG...]): adds TARGET/NAME.hsaco to amd_images.
function(amd_image target name source)
	set(image ${amd_dir}/${target}/${name}.hsaco)
	cmake_path(GET image PARENT_PATH folder)
	file(MAKE_DIRECTORY ${folder})
	add_custom_command(OUTPUT ${image}
		COMMAND mori cc ${source} --target ${target} -I${PROJECT_SOURCE_DIR}/src ${ARGN} -o ${image}
		DEPENDS mori bitcode ${source} ${kern_headers} ${example_headers}
			${PROJECT_BINARY_DIR}/lib/mori/amdgcn/libmori_shmem_device.bc
		COMMENT "Compiling ${name} for ${target}"
		VERBATIM)
	set(amd_images ${amd_images} ${image} PARENT_SCOPE)
endfunction()

set(amd_images)
set(amd_sample_images)
file(GLOB example_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/kernels/*.h)
file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/kernels/*.c)
file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/gpu/kernels/*.c
	${PROJECT_SOURCE_DIR}/bench/kernels/*.c)
find_program(MORI_MLIR_TRANSLATE NAMES mlir-translate-19 mlir-translate)

foreach(target IN LISTS amd_targets)
	foreach(file IN LISTS kernels)
		cmake_path(GET file STEM name)
		# Of coll the compiler indexes registers, which the interpreter does not know.
		if(NOT name MATCHES "^(wrong_abi|no_library|coll|coll_ctx)$")
			amd_image(${target} ${name} ${file})
		endif()
	endforeach()
	amd_image(${target} soak_near ${CMAKE_CURRENT_SOURCE_DIR}/kernels/soak.c --p2p)
	foreach(file IN LISTS examples)
		cmake_path(GET file STEM name)
		amd_image(${target} examples/${name} ${file})
	endforeach()
	foreach(name hello put_ring get)
		set(file ${PROJECT_BINARY_DIR}/tests/kernels/${name}.ll)
		if(NOT MORI_PTXAS AND target STREQUAL "gfx942") # else gpu/more.cmake makes it
			add_custom_command(OUTPUT ${file}
				COMMAND ${PROJECT_SOURCE_DIR}/examples/llvm/generate.sh ${name} > ${file}
				DEPENDS ${PROJECT_SOURCE_DIR}/examples/llvm/generate.sh VERBATIM)
		endif()
		amd_image(${target} examples/llvm_${name} ${file})
	endforeach()
	foreach(name hello put_ring)
		if(MORI_MLIR_TRANSLATE)
			amd_image(${target} examples/mlir_${name} ${PROJECT_SOURCE_DIR}/examples/mlir/${name}.mlir)
		endif()
	endforeach()
	# These are scanned alone.
	foreach(file IN LISTS more)
		cmake_path(GET file STEM name)
		amd_image(${target} more/${name} ${file} -I${PROJECT_SOURCE_DIR}/examples/kernels)
	endforeach()
	amd_image(${target} more/tour ${PROJECT_SOURCE_DIR}/examples/tour/device/kernels.c)
	amd_image(${target} more/tasks ${PROJECT_SOURCE_DIR}/src/dev/tasks.c)

	foreach(image IN LISTS amd_images)
		string(REGEX MATCH "^${amd_dir}/${target}/(examples/)?([^/]*)\\.hsaco$" here "${image}")
		if(here AND CMAKE_MATCH_1 AND (target STREQUAL "gfx942" OR CMAKE_MATCH_2 IN_LIST amd_sample_examples_${target}))
			list(APPEND amd_sample_images ${image})
		elseif(here AND NOT CMAKE_MATCH_1 AND CMAKE_MATCH_2 IN_LIST amd_sample_${target})
			list(APPEND amd_sample_images ${image})
		endif()
	endforeach()
endforeach()

set(all ALL)
if(MORI_BITCODE_FROM) # the build that it names has run them
	set(all)
endif()
add_custom_target(amd_sample ${all} DEPENDS ${amd_sample_images})
add_custom_target(amd DEPENDS ${amd_images})

set(TEST_TIMEOUT 900)
set(TEST_ENV)
set(TEST_LABELS amd)
mori_add(amd_sample bash ${CMAKE_CURRENT_SOURCE_DIR}/amd/run --sample ${PROJECT_BINARY_DIR} scan kernels examples)
if(TARGET python_module)
	mori_add(amd_triton bash ${CMAKE_CURRENT_SOURCE_DIR}/amd/run --sample ${PROJECT_BINARY_DIR} triton)
endif()
unset(TEST_LABELS)
