package schemas

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

const (
	committed         = "../../webhook/schema/kubernetes.txt"
	committedDefaults = "../../webhook/schema/defaults.txt"
)

// Flags of scripts/schemas.sh.
var (
	write         = flag.String("write", "", "write what the control plane says into this file, and test nothing")
	writeDefaults = flag.String("write-defaults", "", "write what absence means into this file, and test nothing")
	older         = flag.String("older", "", "with -write: mark what this file, written from an older release, does not have")
)

const header = `# The fields of built-in kinds, as the API server of a release has them. Written by scripts/schemas.sh, not by hand;
# tests/schemas holds it to the control plane, webhook/schema reads it.
#
# kind GROUP NAME TYPE and resource GROUP NAME TYPE, then each TYPE: with its fields. A field is NAME SHAPE; [X] is a
# list, [X;KEY] one whose elements are known by that key, {X} a map. A field with ` + "`after`" + ` and a word with * are in this
# release and not in the older one.
`

const defaultsHeader = `# What the absence of a field means to Kubernetes, where it means one thing only: TYPE FIELD VALUE, the value in JSON.
# Of a map, {} says that its fields mean what they do in an empty one. Written by scripts/schemas.sh, not by hand;
# tests/schemas holds it to Kubernetes' own defaulting, webhook/schema reads it.
`

func TestMain(m *testing.M) {
	flag.Parse()
	cluster.Main(m)
}

func TestTheCommittedFileIsWhatTheControlPlaneSays(t *testing.T) {
	lines, err := Text(cluster.Shared(t).Get)
	if err != nil {
		t.Fatal(err)
	}
	if *write != "" {
		rewrite(t, lines)
		return
	}
	want := read(t, committed)
	switch version := strings.TrimPrefix(want[0], "version "); {
	case lines[0] == want[0]:
		same(t, lines, Unmarked(want))
	case minor(strings.TrimPrefix(lines[0], "version ")) == minor(strings.TrimPrefix(want[1], "older ")):
		contained(t, lines, WithoutMarked(want))
	default:
		t.Fatalf("the control plane is of %q and the file of %s: run scripts/schemas.sh", lines[0], version)
	}
}

func TestTheCommittedDefaultsAreThoseOfKubernetes(t *testing.T) {
	lines, err := Defaults()
	if err != nil {
		t.Fatal(err)
	}
	if *writeDefaults != "" {
		if err := os.WriteFile(*writeDefaults, []byte(defaultsHeader+strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := read(t, committedDefaults)
	if isOlder(t) {
		lines, want = alike(lines, want), alike(want, lines)
	}
	same(t, lines, want)
}

// alike gives the lines of defaults of which there is one about the same field among others: an older release has not
// all of the fields, and of those that came later some hang on each other.
func alike(lines, others []string) []string {
	field := func(line string) string { return line[:strings.LastIndex(line, " ")] }
	known := map[string]bool{}
	for _, line := range others {
		known[field(line)] = true
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !known[field(line)] })
}

// isOlder says whether the control plane is of the older of the two releases, which has not all of the fields.
func isOlder(t *testing.T) bool {
	t.Helper()
	var version struct{ GitVersion string }
	if err := cluster.Shared(t).Get("/version", &version); err != nil {
		t.Fatal(err)
	}
	return minor(strings.TrimPrefix(version.GitVersion, "v")) == minor(strings.TrimPrefix(read(t, committed)[1], "older "))
}

// What is marked as newer than the older release is what that release does not have.
func TestMarks(t *testing.T) {
	newer := []string{"version 1.37.2", "kind - Pod a.Pod", "a.New:", "x text", "a.Pod:", "kind text", "mode text(A|B)", "new a.New"}
	older := []string{"version 1.35.4", "kind - Pod a.Pod", "a.Pod:", "kind text", "mode text(A)"}
	want := []string{"version 1.37.2", "older 1.35.4", "kind - Pod a.Pod", "a.New:", "x text", "a.Pod:", "kind text", "mode text(A|B*)", "new a.New after 1.35"}
	if got := Mark(newer, older); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := Unmarked(want); !reflect.DeepEqual(got, newer) {
		t.Errorf("unmarked: got %q", got)
	}
	if got := WithoutMarked(want); slices.Contains(got, "mode text(A|B)") || !slices.Contains(got, "mode text(A)") {
		t.Errorf("without what is marked: got %q", got)
	}
}

func rewrite(t *testing.T, lines []string) {
	if *older != "" {
		lines = Mark(lines, read(t, *older))
	}
	if err := os.WriteFile(*write, []byte(header+strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") })
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d below the comment: the control plane has %q, the file %q: run scripts/schemas.sh", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("the control plane has %d lines, the file %d: run scripts/schemas.sh", len(got), len(want))
	}
}

// contained: of an older release, which may have had fields that are gone, and has not the types that are new.
func contained(t *testing.T, got, want []string) {
	t.Helper()
	have := index(got)
	for of, fields := range index(want) {
		for name, shape := range fields {
			if known, there := have[of]; there && known[name] != shape {
				t.Errorf("%s.%s: the control plane has %q, the file %q: run scripts/schemas.sh", of, name, known[name], shape)
			}
		}
	}
}
