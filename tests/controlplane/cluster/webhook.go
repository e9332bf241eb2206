package cluster

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"driftbar.io/tests/controlplane/recorder"
)

// Webhook is a Validating- or MutatingWebhookConfiguration with one webhook; both have the name Name, which is what
// kubectl shows in `admission webhook "NAME" denied the request`. It must have two dots.
type Webhook struct {
	Name            string
	Mutating        bool
	URL             string // of a server that is called by Cluster.Host
	CA              []byte // PEM
	Rules           []Rule
	Namespaces      []string // the only ones whose objects are sent; none: all. Objects without a namespace always are
	FailurePolicy   string   // "" is Fail
	TimeoutSeconds  int      // 0 is 10
	MatchConditions []MatchCondition
}

// Rule says which requests are sent. Without Groups it is the core group.
type Rule struct {
	Operations []string
	Groups     []string
	Resources  []string
}

// MatchCondition is an expression in CEL that must be true as well.
type MatchCondition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// Register registers a webhook and returns when the API server calls it. It goes with the test.
func (c *Cluster) Register(t testing.TB, w Webhook) {
	t.Helper()
	c.create(t, w)
	t.Cleanup(func() { c.remove(t, w.path()) })
	c.SettleWebhooks(t)
}

// Unregister takes a webhook away and returns when the API server has noticed.
func (c *Cluster) Unregister(t testing.TB, w Webhook) {
	t.Helper()
	c.remove(t, w.path())
	c.SettleWebhooks(t)
}

// StartRecorder runs a webhook that allows everything and remembers it, until the test ends.
func (c *Cluster) StartRecorder(t testing.TB) *recorder.Recorder {
	t.Helper()
	r, err := recorder.Start(c.Host, c.Address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// SettleWebhooks returns when every change of webhook configurations that was made before is in force; Register
// and Unregister call it, a test that applies configurations by other means does so itself.
//
// The API server learns of configurations by a watch, in the order in which they were written. So one more of each
// kind is written, which sends one label's objects to a recorder, and when such an object arrives there, all
// earlier ones are in force, too.
func (c *Cluster) SettleWebhooks(t testing.TB) {
	t.Helper()
	c.settling.once.Do(func() { c.settling.recorder, c.settling.err = recorder.Start(c.Host, c.Address, nil) })
	if c.settling.err != nil {
		t.Fatal(c.settling.err)
	}
	c.settling.mutex.Lock()
	defer c.settling.mutex.Unlock()
	for _, mutating := range []bool{false, true} {
		c.settling.count++
		c.settle(t, mutating, fmt.Sprint("/", c.settling.count))
	}
}

func (c *Cluster) settle(t testing.TB, mutating bool, path string) {
	t.Helper()
	// Mutating webhooks are called in the order of their names: this one before any that could refuse.
	marker := Webhook{Name: "0" + path[1:] + ".settled.driftbar.test", Mutating: mutating, FailurePolicy: "Ignore",
		URL: c.settling.recorder.URL + path, CA: c.settling.recorder.CA,
		Rules:           []Rule{{Operations: []string{"CREATE"}, Resources: []string{"configmaps"}}},
		MatchConditions: []MatchCondition{{Name: "marked", Expression: `object.metadata.name == "settled` + path[1:] + `"`}}}
	c.create(t, marker)
	defer c.remove(t, marker.path())
	object := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settled` + path[1:] + `"}}`
	Eventually(t, "the API server has noticed the webhooks", func() error {
		err := c.Send(http.MethodPost, "/api/v1/namespaces/default/configmaps?dryRun=All", object, nil)
		if len(c.settling.recorder.Reviews(func(r recorder.Review) bool { return r.Path == path })) > 0 {
			return nil
		}
		return fmt.Errorf("not yet; the API server last said: %v", err)
	})
}

func (c *Cluster) create(t testing.TB, w Webhook) {
	t.Helper()
	if err := c.Send(http.MethodPost, w.collection(), w.configuration(t), nil); err != nil {
		t.Fatalf("register %s: %v", w.Name, err)
	}
}

func (w Webhook) kind() (kind, plural string) {
	if w.Mutating {
		return "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"
	}
	return "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"
}

func (w Webhook) collection() string {
	_, plural := w.kind()
	return "/apis/admissionregistration.k8s.io/v1/" + plural
}

func (w Webhook) path() string { return w.collection() + "/" + w.Name }

func (w Webhook) configuration(t testing.TB) string {
	t.Helper()
	kind, _ := w.kind()
	hook := map[string]any{
		"name": w.Name, "admissionReviewVersions": []string{"v1"}, "sideEffects": "None",
		"clientConfig":  map[string]any{"url": w.URL, "caBundle": base64.StdEncoding.EncodeToString(w.CA)},
		"failurePolicy": or(w.FailurePolicy, "Fail"), "timeoutSeconds": or(w.TimeoutSeconds, 10),
		"rules": w.rules(), "matchConditions": w.MatchConditions,
	}
	if len(w.Namespaces) > 0 {
		hook["namespaceSelector"] = map[string]any{"matchExpressions": []any{map[string]any{
			"key": "kubernetes.io/metadata.name", "operator": "In", "values": w.Namespaces}}}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
		"metadata": map[string]any{"name": w.Name}, "webhooks": []any{hook}})
	if err != nil {
		t.Fatalf("webhook %s: %v", w.Name, err)
	}
	return string(text)
}

func (w Webhook) rules() []any {
	var rules []any
	for _, r := range w.Rules {
		groups := r.Groups
		if groups == nil {
			groups = []string{""}
		}
		rules = append(rules, map[string]any{"operations": r.Operations, "apiGroups": groups,
			"apiVersions": []string{"*"}, "resources": r.Resources})
	}
	return rules
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
