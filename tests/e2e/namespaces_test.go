package e2e

import (
	"fmt"
	"net/http"
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
	var early []string
	for i := range 6 {
		early = append(early, fmt.Sprint(namespace, "-", i))
	}
	register(t, c, gate, append([]string{namespace}, early...)...)
	const refusal = `403: admission webhook "validate.driftbar.io" denied the request: research/cost-center: Job "x": label cost-center is missing, must be there`
	create := func(namespace string) string {
		return fmt.Sprint(c.Send(http.MethodPost, "/apis/batch/v1/namespaces/"+namespace+"/jobs?dryRun=All",
			`{"metadata":{"name":"x"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"none"}]}}}}`, nil))
	}
	for _, step := range []struct{ label, want string }{
		{`null`, "<nil>"}, {`"research"`, refusal}, {`"other"`, "<nil>"}, {`"research"`, refusal},
	} {
		must(t, c.Send(http.MethodPatch, "/api/v1/namespaces/"+namespace, `{"metadata":{"labels":{"team":`+step.label+`}}}`, nil))
		changed := time.Now()
		cluster.Eventually(t, "team is "+step.label+" for the gate", func() error {
			if got := create(namespace); got != step.want {
				return fmt.Errorf("got %s", got)
			}
			return nil
		})
		t.Logf("team is %s for the gate after %v", step.label, time.Since(changed).Round(time.Millisecond))
	}
	t.Run("one that was made a moment ago is not missed", func(t *testing.T) {
		for _, name := range early {
			path := "/api/v1/namespaces/" + name
			t.Cleanup(func() { c.Send(http.MethodDelete, path, "", nil) })
			must(t, c.Send(http.MethodPost, "/api/v1/namespaces", `{"metadata":{"name":"`+name+`","labels":{"team":"research"}}}`, nil))
			if got := create(name); got != refusal {
				t.Errorf("got %s", got)
			}
		}
	})
}
