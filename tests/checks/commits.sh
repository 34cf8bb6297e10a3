#!/bin/bash
# SPDX-License-Identifier: MIT
# The messages of new commits, as CONTRIBUTING.md asks: "folder: do something" in at most 72
# columns, in the imperative, one change, an empty line, and a body that says why. New is what came
# after the commit that added this check. In a shallow clone, only what is not on origin/main is
# checked.
. "$(dirname "$0")/common.inc"

# Verbs that begin the subjects of changes. Their other forms are no imperative; a word that is
# not here is taken on trust.
verbs='add adapt allow avoid build call change check clean close compare compile copy correct count
cover delete describe document drop edit end explain export extend fail find fix follow generate give
handle hold ignore implement improve include install keep leave let limit load make mark measure
mention merge move name open pass print protect put read record refuse remove rename replace report
require return run say send set show simplify skip sort split start stop store support take tell test
try turn update use wait warn work wrap write'
past='built found gave held kept left made meant ran said sent showed shown split stood stopped taken
told took went wrote written was were is are has had does did been being'
others='a an the one no none each every all any some what which who when where why how there this that
these those it its we our new more less now not only also'

# Is the word a form of a verb that is no imperative, or no verb?
not_imperative() {
	local word=$1 verb stem
	[[ " ${others//$'\n'/ } " == *" $word "* ]] && return
	for verb in $past; do
		[ "$verb" = "$word" ] && [[ " ${verbs//$'\n'/ } " != *" $word "* ]] && return
	done
	for verb in $verbs; do
		stem=${verb%e}
		case $word in
		"${verb}s" | "${verb}es" | "${verb%y}ies" | "${stem}ed" | "${verb%y}ied" | "${stem}ing" | \
			"$verb${verb: -1}ed" | "$verb${verb: -1}ing") return 0 ;;
		esac
	done
	return 1
}

# judge MESSAGE: prints what is wrong with it.
judge() {
	local subject=${1%%$'\n'*} rest=${1#*$'\n'} text word
	[ "$rest" != "$1" ] || rest=
	[ ${#subject} -le 72 ] || echo "the subject has ${#subject} columns, 72 is the most"
	[[ $subject =~ ^[A-Za-z0-9_./-]+(,\ [A-Za-z0-9_./-]+)*:\ (.+)$ ]] || {
		echo "the subject does not begin with the folder or object and a colon"
		return
	}
	text=${BASH_REMATCH[2]}
	word=${text%%[ ,]*}
	! not_imperative "${word,,}" || echo "the subject does not begin with an imperative: \"$word\""
	[[ $text != *\;* ]] || echo "the subject names two changes"
	[[ $text != *. ]] || echo "the subject ends in a full stop"
	[ -z "${rest%%$'\n'*}" ] || echo "the second line is not empty"
	grep -vE '^[A-Z][A-Za-z-]+: |^[[:blank:]]*$' <<<"$rest" | grep -q . || echo "there is no body that says why"
}

# The check checks itself: each of these has one thing wrong, the last ones nothing.
expect() {
	local found
	looked=$((looked + 1))
	found=$(judge "$2" | wc -l)
	[ "$found" = "$1" ] || bad "$found findings instead of $1 in: $2"
}
body=$'\n\nIt was wrong before.'
expect 1 "core: $(printf 'x%.0s' {1..67})$body"
expect 1 "fix the heap$body"
expect 1 "core: fixed the heap$body"
expect 1 "core: fixes the heap$body"
expect 1 "core: stopping the heap$body"
expect 1 "core: the heap is fixed$body"
expect 1 "core: fix the heap; add a test$body"
expect 1 "core: fix the heap.$body"
expect 1 $'core: fix the heap\nwhich was wrong'
expect 1 "core: fix the heap"
expect 1 $'core: fix the heap\n\nSigned-off-by: A <a@b>'
expect 0 "core: fix the heap$body"
expect 0 "core, tests: need a string of rings$body"
expect 0 "Makefile: embed what is needed$body"

git rev-parse --git-dir >/dev/null 2>&1 || skip "not a clone of the repository"
range=origin/main..HEAD
if [ "$(git rev-parse --is-shallow-repository)" = false ]; then
	range=$(git log --diff-filter=A --format=%H -- tests/checks/commits.sh | tail -n 1)..HEAD
elif ! git rev-parse -q --verify origin/main >/dev/null; then
	skip "the clone is shallow and has no origin/main"
fi
while IFS= read -r commit; do
	looked=$((looked + 1))
	while IFS= read -r finding; do
		bad "$(git log -1 --format='%h "%s"' "$commit"): $finding"
	done < <(judge "$(git log -1 --format=%B "$commit")")
done < <(git rev-list --no-merges "$range")
finish
