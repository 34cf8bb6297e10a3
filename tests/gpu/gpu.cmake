# SPDX-License-Identifier: MIT
# The programs for a GPU, which gpu/run runs, the kernels they load as PTX, and a mock of the
# driver, with which sh_mock.sh runs what needs no kernels of its own on any machine. What takes long to
# compile is made by the target gpu (make gpu), which also packs it all up to be carried.

function(gpu_program name file)
	add_executable(${name} ${file})
	target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
		${CMAKE_CURRENT_SOURCE_DIR}/gpu)
	# The driver's calls are found at run time and have no prototypes here.
	target_compile_options(${name} PRIVATE -Wno-strict-prototypes
		$<$<C_COMPILER_ID:Clang>:-Wno-deprecated-non-prototype>)
	target_link_libraries(${name} PRIVATE mori_shmem Threads::Threads ${CMAKE_DL_LIBS})
	set_target_properties(${name} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

file(GLOB gpu_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/gpu/*.c)
foreach(file IN LISTS gpu_programs)
	cmake_path(GET file STEM name)
	gpu_program(${name} ${file})
endforeach()
# Over the mock alone: they look at what kernels would see, or have it fail.
foreach(name full mirror p2p_only unread)
	gpu_program(mock_${name} ${CMAKE_CURRENT_SOURCE_DIR}/mock/${name}.c)
	target_include_directories(mock_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endforeach()

add_library(mock_cuda SHARED ${CMAKE_CURRENT_SOURCE_DIR}/mock/cuda.c
	${CMAKE_CURRENT_SOURCE_DIR}/mock/memory.c ${CMAKE_CURRENT_SOURCE_DIR}/mock/stream.c)
target_include_directories(mock_cuda PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(mock_cuda PRIVATE -Wno-missing-prototypes)
set_target_properties(mock_cuda PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1
	LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/mock)

# What lets tests of the CPU run on a GPU: see near/near.c.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT MORI_SANITIZE)
	enable_language(ASM)
	set(calls ${PROJECT_BINARY_DIR}/tests/near_calls.S)
	add_custom_command(OUTPUT ${calls}
		COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/gpu/near/calls.sh $<TARGET_FILE:mori_shmem> > ${calls}
		DEPENDS mori_shmem ${CMAKE_CURRENT_SOURCE_DIR}/gpu/near/calls.sh
		VERBATIM)
	add_library(near SHARED ${CMAKE_CURRENT_SOURCE_DIR}/gpu/near/near.c
		${CMAKE_CURRENT_SOURCE_DIR}/gpu/near/arena.c ${calls})
	target_compile_options(near PRIVATE $<$<COMPILE_LANGUAGE:C>:-fvisibility=hidden
		-ftls-model=initial-exec -Wno-strict-prototypes -Wno-missing-prototypes -fno-builtin>
		$<$<COMPILE_LANG_AND_ID:C,Clang>:-Wno-deprecated-non-prototype>)
	target_link_libraries(near PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
	set_target_properties(near PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()

# For sm_70 and up: every GPU of the last years runs it, compiled by its driver.
set(gpu_images)
if(MORI_BITCODE)
	file(GLOB gpu_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/gpu/kernels/*.c
		${PROJECT_SOURCE_DIR}/examples/kernels/*.c)
	foreach(file IN LISTS gpu_kernels)
		cmake_path(GET file STEM name)
		set(image ${PROJECT_BINARY_DIR}/tests/kernels/${name}.ptx)
		add_custom_command(OUTPUT ${image}
			COMMAND mori cc ${file} --target sm_70 -o ${image}
			DEPENDS mori bitcode ${file} ${PROJECT_BINARY_DIR}/lib/mori/nvptx64/libmori_shmem_device.bc
			COMMENT "Compiling ${name} for NVIDIA"
			VERBATIM)
		list(APPEND gpu_images ${image})
	endforeach()
	set(all ALL)
	if(MORI_SANITIZE) # which is for the host: no GPU runs them
		set(all)
	endif()
	add_custom_target(mori_gpu_kernels ${all} DEPENDS ${gpu_images})
	include(${CMAKE_CURRENT_SOURCE_DIR}/gpu/more.cmake)
endif()

set(TEST_TIMEOUT 900)
set(TEST_ENV)
set(TEST_LABELS gpu)
set(TEST_SERIAL ON)
mori_add(gpu_suite bash ${CMAKE_CURRENT_SOURCE_DIR}/gpu/run ${PROJECT_BINARY_DIR})
unset(TEST_SERIAL)
unset(TEST_LABELS)
