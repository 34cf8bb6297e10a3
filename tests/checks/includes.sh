#!/bin/bash
# SPDX-License-Identifier: MIT
# Includes go down only: which folder may include which is the table below.
. "$(dirname "$0")/common.inc"

# folder: folders whose private headers it may include, besides its own
rules='
include:
src/util:
src/abi:
src/nic:	abi
src/dev:	nic abi
src/boot:	util
src/accel:	util abi
src/net:	util abi nic
src/core:	util abi nic dev accel net boot
tools/list:
tools/mori:
bench:		mori
examples:
python:
tests:		util abi nic dev boot accel net core fake nodes
'

# The longest folder of the table that holds the file.
rule_of() {
	local folder=${1%/*}
	while [ -n "$folder" ]; do
		if grep -q "^$folder:" <<<"$rules"; then
			echo "$folder"
			return
		fi
		[ "$folder" != "${folder%/*}" ] || return
		folder=${folder%/*}
	done
}

for file in $(c_files); do
	folder=$(rule_of "$file")
	[ -n "$folder" ] || { bad "$file: its folder is not in the table of tests/checks/includes.sh"; continue; }
	looked=$((looked + 1))
	allowed=" $(sed -n "s|^$folder:[[:blank:]]*||p" <<<"$rules") ${folder##*/} "
	# Tests of internal functions are unit_, boot_ and net_, the mock knows the kernels, and kern_apart changes
	# a PE's state; others are users.
	case $file in
	tests/unit_* | tests/boot_* | tests/net_* | tests/boot/* | tests/net/* | tests/mock/* | tests/fake/*) ;;
	tests/kern_apart.c) allowed=" tests kernels abi " ;;
	tests/*) allowed=" tests kernels " ;;
	esac
	while IFS= read -r name; do
		case $name in */*) to=${name%%/*} ;; *) continue ;; esac
		[ "$name" = "${name#../}" ] || bad "$file: includes \"$name\" through .."
		case $allowed in *" $to "*) continue ;; esac
		bad "$file: may not include \"$name\""
	done < <(sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"\([^"]*\)".*/\1/p' "$file")
	# Public headers are in angle brackets and come from include/mori.
	while IFS= read -r name; do
		[ -e "include/$name" ] || bad "$file: there is no public header <$name>"
	done < <(sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*<\(mori\/[^>]*\)>.*/\1/p' "$file")
done
finish
