# SPDX-License-Identifier: MIT
# How everything is compiled: C11 with GNU extensions, optimised with debug
# information, assertions kept, warnings as errors.

set(MORI_SANITIZE "" CACHE STRING "address (with undefined) or thread; empty for none")
set_property(CACHE MORI_SANITIZE PROPERTY STRINGS "" address thread)
option(MORI_WERROR "Warnings are errors" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()
# CMake adds -DNDEBUG here by default; tests would then check nothing.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

# Empty, as a source that defines it itself would do.
add_compile_definitions(_GNU_SOURCE=)
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
if(MORI_WERROR)
	add_compile_options(-Werror)
endif()

# MORI_SANITIZE_FLAGS also goes to the tests that compile programs of their own.
set(MORI_SANITIZE_FLAGS "")
if(MORI_SANITIZE STREQUAL "address")
	set(MORI_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
		-fno-omit-frame-pointer)
elseif(MORI_SANITIZE STREQUAL "thread")
	set(MORI_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT MORI_SANITIZE STREQUAL "")
	message(FATAL_ERROR "MORI_SANITIZE=${MORI_SANITIZE}: use address, thread or nothing")
endif()
if(MORI_SANITIZE_FLAGS)
	# Half the time to compile, better reports, and hardly slower to run.
	set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g")
	add_compile_options(${MORI_SANITIZE_FLAGS})
	add_link_options(${MORI_SANITIZE_FLAGS})
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		# What the sanitizers add hides from gcc which variables are set.
		add_compile_options(-Wno-maybe-uninitialized)
	endif()
endif()
if(MORI_SANITIZE STREQUAL "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	# gcc warns of every fence under TSan, which then sees less; that is no error of ours.
	add_compile_options(-Wno-tsan)
endif()
