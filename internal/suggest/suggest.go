// Package suggest finds what somebody probably meant to type.
//
// It is used where a word must be one of a few known ones: commands, flags,
// templates, rules. It is meant for tens of candidates, not for search.
package suggest

import "strings"

// Closest gives the candidate nearest to word by edit distance, ignoring case,
// and whether it is near enough to be worth proposing: at most a third of the
// word may differ, and one letter of a short word. Of equally near candidates
// the first wins. A candidate that word begins is near at any length.
func Closest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", -1
	folded := strings.ToLower(word)
	for _, candidate := range candidates {
		if d := distance(folded, strings.ToLower(candidate)); bestDistance < 0 || d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	if bestDistance >= 0 && bestDistance <= max(1, len([]rune(word))/3) {
		return best, true
	}
	if len(word) >= 2 {
		for _, candidate := range candidates {
			if strings.HasPrefix(strings.ToLower(candidate), folded) {
				return candidate, true
			}
		}
	}
	return "", false
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, previous, current := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(s); i++ {
		current[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(t)]
}
