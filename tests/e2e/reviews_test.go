package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecordedReviews holds tests/data/reviews together: what is there is indexed, what is indexed is there, and it
// was recorded from the release that the tests run. After a change of release, tests/controlplane/record.sh is run again.
func TestRecordedReviews(t *testing.T) {
	const folder = "../data/reviews"
	text, err := os.ReadFile(filepath.Join(folder, "INDEX"))
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`k8s\.io/kubernetes (v\S+)`).FindStringSubmatch(read(t, "../go.mod"))[1]
	if !strings.Contains(string(text), "kube-apiserver "+release+" sent them") {
		t.Errorf("INDEX is not of %s: %s", release, strings.SplitN(string(text), "\n", 2)[0])
	}
	indexed := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if name, _, row := strings.Cut(line, "\t"); row {
			indexed[name] = true
			checkReview(t, filepath.Join(folder, name+".json"))
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reviews: %v", err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		if !indexed[name] {
			t.Errorf("%s is not in INDEX", file)
		}
		checkReview(t, file)
	}
}

func checkReview(t *testing.T, file string) {
	t.Helper()
	var review struct {
		APIVersion, Kind string
		Request          struct{ UID, Operation string }
	}
	if err := json.Unmarshal([]byte(read(t, file)), &review); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if review.APIVersion != "admission.k8s.io/v1" || review.Kind != "AdmissionReview" || review.Request.UID == "" || review.Request.Operation == "" {
		t.Errorf("%s: no review: %+v", file, review)
	}
}
