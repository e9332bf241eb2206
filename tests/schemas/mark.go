package schemas

import (
	"slices"
	"strings"
)

// Mark writes into the lines of a release what an older one, also given as its lines, does not have: ` after 1.35`
// behind a field, `*` behind a word of an enumeration, and the line `older`. Fields of types that are new as a whole
// are reached by new fields only and stay as they are.
func Mark(lines, older []string) []string {
	fields, version := index(older), strings.TrimPrefix(older[0], "version ")
	marked := []string{lines[0], "older " + version}
	of := ""
	for _, line := range lines[1:] {
		if name, found := strings.CutSuffix(line, ":"); found {
			of = name
		} else if known, there := fields[of]; there && of != "" {
			line = markField(line, known, minor(version))
		}
		marked = append(marked, line)
	}
	return marked
}

// Unmarked takes off what Mark put on.
func Unmarked(lines []string) (plain []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "older ") {
			continue
		}
		line, _, _ = strings.Cut(line, " after ")
		plain = append(plain, strings.ReplaceAll(line, "*", ""))
	}
	return plain
}

// WithoutMarked leaves out what is marked: what the older release should have.
func WithoutMarked(lines []string) (older []string) {
	for _, line := range lines {
		if strings.Contains(line, " after ") || strings.HasPrefix(line, "older ") {
			continue
		}
		if name, words, found := cutWords(line); found {
			words = slices.DeleteFunc(words, func(word string) bool { return strings.HasSuffix(word, "*") })
			line = name + "(" + strings.Join(words, "|") + line[strings.Index(line, ")"):]
		}
		older = append(older, line)
	}
	return older
}

// index is each type's fields with their shapes.
func index(lines []string) map[string]map[string]string {
	types := map[string]map[string]string{}
	of := ""
	for _, line := range lines {
		if name, found := strings.CutSuffix(line, ":"); found {
			of = name
			types[of] = map[string]string{}
		} else if name, shape, _ := strings.Cut(line, " "); of != "" {
			types[of][name] = shape
		}
	}
	return types
}

func markField(line string, known map[string]string, after string) string {
	name, _, _ := strings.Cut(line, " ")
	shape, there := known[name]
	if !there {
		return line + " after " + after
	}
	before, words, found := cutWords(line)
	_, olderWords, olderFound := cutWords(shape)
	if !found || !olderFound {
		return line
	}
	for i, word := range words {
		if !slices.Contains(olderWords, word) {
			words[i] += "*"
		}
	}
	return before + "(" + strings.Join(words, "|") + line[strings.Index(line, ")"):]
}

func cutWords(line string) (before string, words []string, found bool) {
	before, rest, found := strings.Cut(line, "(")
	rest, _, _ = strings.Cut(rest, ")")
	return before, strings.Split(rest, "|"), found
}

func minor(version string) string {
	return strings.Join(strings.Split(version, ".")[:2], ".")
}
