# SPDX-License-Identifier: MIT
# Which tests a plain run takes. The ways to run a program of PEs are a matrix of four factors:
# program, mode, number of PEs and path. A plain run takes a sample in which every pair of values
# occurs that occurs anywhere; the other tests have the label "rest", and `make test-all` runs them
# too. The seed chooses among the samples: -DMORI_TEST_SEED=2. Builds with a sanitizer are slow and
# come after a plain one: the kind of build is then a fifth factor, so that a program need not
# meet every mode and number again.

set(MORI_TEST_SEED 1 CACHE STRING "Which sample of the matrix of tests a plain run takes")

# mori_way(test program mode pes path): a test is one way to run a program.
function(mori_way test program mode pes path)
	# The hash puts the ways into an order that the seed decides. TSan sees one process at a time.
	string(MD5 key "${MORI_TEST_SEED} ${test}")
	if(MORI_SANITIZE STREQUAL "thread" AND mode STREQUAL "procs")
		string(PREPEND key "last ")
	endif()
	set_property(GLOBAL APPEND PROPERTY MORI_WAYS "${key}|${test}|${program}|${mode}|${pes}|${path}")
endfunction()

# Set test and pairs, the pairs of values that a way has: with the program, and among the others.
macro(mori_way_read way)
	string(REPLACE "|" ";" part "${way}")
	list(GET part 1 test)
	list(GET part 2 program)
	list(GET part 3 mode)
	list(GET part 4 pes)
	list(GET part 5 path)
	set(with_program ${program}/${path})
	if(NOT MORI_SANITIZE)
		list(APPEND with_program ${program}/${mode} ${program}/${pes})
	endif()
	set(pairs ${with_program} ${mode}/${pes} ${mode}/${path} ${pes}/${path})
endmacro()

# Set new to how many of the pairs no way has had yet.
macro(mori_way_count)
	set(new 0)
	foreach(pair ${ARGN})
		if(NOT "had ${pair}" IN_LIST had)
			math(EXPR new "${new} + 1")
		endif()
	endforeach()
endmacro()

# Label what the sample can do without. Ways are taken if they bring three new pairs with their
# program, then two, then one; at last for new pairs of any kind.
function(mori_sample)
	get_property(ways GLOBAL PROPERTY MORI_WAYS)
	list(SORT ways)
	set(had)
	foreach(need 3 2 1 any)
		set(left)
		foreach(way IN LISTS ways)
			mori_way_read(${way})
			if(need STREQUAL "any")
				mori_way_count(${pairs})
				set(take ${new})
			else()
				mori_way_count(${with_program})
				math(EXPR take "${new} / ${need}")
			endif()
			if(take)
				list(TRANSFORM pairs PREPEND "had ")
				list(APPEND had ${pairs})
			else()
				list(APPEND left ${way})
			endif()
		endforeach()
		set(ways ${left})
	endforeach()
	foreach(way IN LISTS ways)
		mori_way_read(${way})
		set_property(TEST ${test} APPEND PROPERTY LABELS rest)
	endforeach()
endfunction()
