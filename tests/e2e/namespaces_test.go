package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"driftbar.io/tests/controlplane/cluster"
)

// TestNamespaceSelectorFollowsTheLabels: what a namespace is labelled now decides.
func TestNamespaceSelectorFollowsTheLabels(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--kubeconfig", c.Kubeconfig, "--policies", manifest(t, "policy.yaml", `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: research}
spec:
  match: {namespaceSelector: {matchLabels: {team: research}}}
  rules:
    - name: cost-center
      require: {label: cost-center}
`))
	register(t, c, gate, namespace)
	const refusal = `403: admission webhook "validate.driftbar.io" denied the request: research/cost-center: Job "x": label cost-center of the pod template is missing, must be there`
	create := func() string {
		return fmt.Sprint(c.Send(http.MethodPost, "/apis/batch/v1/namespaces/"+namespace+"/jobs?dryRun=All",
			`{"metadata":{"name":"x"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"none"}]}}}}`, nil))
	}
	for _, step := range []struct{ label, want string }{
		{`null`, "<nil>"}, {`"research"`, refusal}, {`"other"`, "<nil>"}, {`"research"`, refusal},
	} {
		must(t, c.Send(http.MethodPatch, "/api/v1/namespaces/"+namespace, `{"metadata":{"labels":{"team":`+step.label+`}}}`, nil))
		changed := time.Now()
		cluster.Eventually(t, "team is "+step.label+" for the gate", func() error {
			if got := create(); got != step.want {
				return fmt.Errorf("got %s", got)
			}
			return nil
		})
		t.Logf("team is %s for the gate after %v", step.label, time.Since(changed).Round(time.Millisecond))
	}
}

// TestNamespaceOfAMomentAgo: who makes a namespace and at once something in it is judged by that namespace's labels,
// though the gate's watch has not brought them yet: a rule never refuses what is not meant, and always what is.
func TestNamespaceOfAMomentAgo(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	first := c.Namespace(t)
	gate := c.StartGate(t, "--kubeconfig", c.Kubeconfig, "--policies", manifest(t, "policy.yaml", `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: meant}
spec:
  match: {namespaceSelector: {matchLabels: {team: research}}}
  rules:
    - name: cost-center
      require: {label: cost-center}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: others}
spec:
  except: [{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}]
  rules:
    - name: owner
      require: {label: owner}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: tier}
spec:
  match: {resources: [pods, jobs.batch]}
  rules:
    - name: gold
      onUnknown: deny
      deny: {label: tier, of: namespace, equals: gold}
    - name: app
      require: {label: app}
---
apiVersion: driftbar.io/v1alpha1
kind: Exemption
metadata: {name: trial}
spec:
  reason: a trial
  expires: 2099-01-01
  rules: [tier/app]
  match: {namespaceSelector: {matchLabels: {trial: "yes"}}}
`))
	const count = 50
	namespaces := []string{first}
	for i := range count {
		namespaces = append(namespaces, fmt.Sprint(first, "-", i))
	}
	register(t, c, gate, namespaces...)
	const denied = `403: admission webhook "validate.driftbar.io" denied the request: `
	cases := []struct{ labels, pod, want string }{
		{`"team":"research","trial":"yes"`, ``, denied + `meant/cost-center: %s "x": label cost-center%whose is missing, must be there`},
		{`"team":"shop","trial":"yes"`, ``, "<nil>"},
		{`"team":"shop"`, `"app":"x"`, "<nil>"},
		{`"team":"shop"`, ``, denied + `tier/app: %s "x": label app%whose is missing, must be there`},
		{`"trial":"yes"`, ``, denied + `others/owner: %s "x": label owner%whose is missing, must be there`},
		{`"team":"shop","tier":"gold"`, `"app":"x"`, denied + `tier/gold: %s "x": namespace label tier is "gold", must not be "gold"`},
		{`"team":"research"`, `"cost-center":"1","app":"x"`, "<nil>"},
	}
	for i, name := range namespaces[1:] {
		one := cases[i%len(cases)]
		path := "/api/v1/namespaces/" + name
		t.Cleanup(func() { c.Send(http.MethodDelete, path, "", nil) })
		must(t, c.Send(http.MethodPost, "/api/v1/namespaces", `{"metadata":{"name":"`+name+`","labels":{`+one.labels+`}}}`, nil))
		create := func(kind, whose, path, object string) {
			want := strings.NewReplacer("%s", kind, "%whose", whose).Replace(one.want)
			if got := fmt.Sprint(c.Send(http.MethodPost, path+"?dryRun=All", object, nil)); got != want {
				t.Errorf("%d: {%s} with a %s {%s}: got %s\nwant %s", i, one.labels, kind, one.pod, got, want)
			}
		}
		pod := `"metadata":{"name":"x","labels":{` + one.pod + `}},"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"none"}]}`
		create("Job", " of the pod template", "/apis/batch/v1/namespaces/"+name+"/jobs", `{"metadata":{"name":"x"},"spec":{"template":{`+strings.Replace(pod, `"name":"x",`, "", 1)+`}}}`)
		if i%5 == 0 { // the API server lets a pod wait until its service account has been made
			create("Pod", "", path+"/pods", "{"+pod+"}")
		}
	}
	_, metrics, err := gate.AskOps("/metrics")
	must(t, err)
	found := regexp.MustCompile(`driftbar_lookups_total\{kind="namespace",result="found"\} (\d+)`).FindStringSubmatch(metrics)
	if found == nil {
		t.Fatalf("no namespace had to be looked up, so that this has shown nothing\n%s", metrics)
	}
	t.Logf("look-ups of %d namespaces: %s", count, found[1])
}
