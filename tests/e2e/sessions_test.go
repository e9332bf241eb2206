package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// TestWhatIsAskedOfAPodIsJudgedByThePod: exec, attach, port-forward and eviction carry no pod; it is looked up.
func TestWhatIsAskedOfAPodIsJudgedByThePod(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("ask-01", nil), gpuNode("ask-02", map[string]string{"driftbar.io/drift": "critical"}))
	namespace := c.Namespace(t)
	for name, where := range map[string]string{"free": "ask-01", "frozen": "ask-01", "sick": "ask-02"} {
		labels := map[string]string{"frozen": "example.com/frozen: 'yes'"}[name]
		c.Apply(t, namespace, strings.Replace(trainingPod(name, "terminationGracePeriodSeconds: 1, nodeName: "+where),
			"metadata: {", "metadata: {labels: {"+labels+"}, ", 1))
	}
	for _, name := range []string{"free", "frozen", "sick"} {
		c.Wait(t, namespace, "pod/"+name, "condition=Ready")
	}
	gate := c.StartGate(t, "--kubeconfig", c.Kubeconfig, "--policies", manifest(t, "policy.yaml", `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: sessions}
spec:
  match: {resources: [pods/exec, pods/attach, pods/portforward, pods/eviction], workload: training}
  except:
    - requestedBy: {groups: [oncall]}
  rules:
    - name: frozen
      deny: {label: example.com/frozen}
      fix: the run is measured until it ends; ask the people on call
    - name: drifted
      deny: {onNode: {label: driftbar.io/drift}}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: pinned}
spec:
  match: {resources: [pods]}
  rules:
    - name: drifted
      deny: {onNode: {label: driftbar.io/drift}}
`))
	register(t, c, gate, namespace)

	const webhook = `admission webhook "sessions.driftbar.io" denied the request: `
	const why = `label example.com/frozen is "yes", must not be there` + "\n  fix: the run is measured until it ends; ask the people on call\n"
	kubectl := func(args ...string) cluster.Output {
		return c.Kubectl(t, append([]string{"-n", namespace}, args...)...)
	}
	t.Run("exec", func(t *testing.T) {
		expect(t, kubectl("exec", "frozen", "--", "nvidia-smi"), 1, "",
			"error: unable to upgrade connection: "+webhook+`sessions/frozen: exec into Pod "frozen": `+why)
		expect(t, kubectl("exec", "sick", "--", "nvidia-smi"), 1, "", "error: unable to upgrade connection: "+webhook+
			`sessions/drifted: exec into Pod "sick": node ask-02: label driftbar.io/drift is "critical", must not be there`+"\n")
	})
	t.Run("port-forward", func(t *testing.T) {
		expect(t, kubectl("port-forward", "frozen", "9000"), 1, "",
			"error: error upgrading connection: unable to upgrade connection: "+webhook+`sessions/frozen: port-forward to Pod "frozen": `+why)
	})
	t.Run("attach", func(t *testing.T) {
		out := kubectl("attach", "frozen", "--quiet")
		if out.Code != 1 || !strings.HasSuffix(out.Stderr, "error: unable to upgrade connection: "+webhook+`sessions/frozen: attach to Pod "frozen": `+why) {
			t.Errorf("got %s", out)
		}
	})
	// There is no kubelet to connect to, so what the gate allows fails by that.
	t.Run("what is allowed goes on to the kubelet", func(t *testing.T) {
		for _, args := range [][]string{
			{"exec", "free", "--", "nvidia-smi"},
			{"--as", "eve", "--as-group", "oncall", "--as-group", "system:masters", "exec", "frozen", "--", "nvidia-smi"},
		} {
			out := kubectl(args...)
			if out.Code != 1 || strings.Contains(out.Stderr, "denied the request") || !strings.Contains(out.Stderr, "/trainer?command=nvidia-smi") {
				t.Errorf("got %s", out)
			}
		}
	})
	t.Run("eviction", func(t *testing.T) {
		evict := func(pod string) cluster.Output {
			return c.KubectlWith(t, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"`+pod+`"}}`,
				"create", "--raw", "/api/v1/namespaces/"+namespace+"/pods/"+pod+"/eviction", "-f", "-")
		}
		expect(t, evict("frozen"), 1, "", denial("", "sessions.driftbar.io", `sessions/frozen: eviction of Pod "frozen": `+why))
		out := kubectl("drain", "ask-01", "--dry-run=server", "--force", "--pod-selector=example.com/frozen")
		want := `error when evicting pods/"frozen" -n "` + namespace + `": ` + webhook + `sessions/frozen: eviction of Pod "frozen": ` + why
		if out.Code != 1 || !strings.HasSuffix(out.Stderr, want) {
			t.Errorf("got %s", out)
		}
		evict("free").Must(t)
		c.Wait(t, namespace, "pod/free", "delete")
	})

	pin := func(pod, node string) error {
		return c.Send(http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods", fmt.Sprintf(
			`{"metadata":{"name":"%s"},"spec":{"nodeName":"%s","containers":[{"name":"a","image":"none"}]}}`, pod, node), nil)
	}
	t.Run("a pod that is pinned to a bad node", func(t *testing.T) {
		expectRefusal(t, pin("pinned", "ask-02"), `admission webhook "validate.driftbar.io" denied the request: `+
			`pinned/drifted: Pod "pinned": node ask-02: label driftbar.io/drift is "critical", must not be there`)
		must(t, pin("pinned", "ask-01"))
	})
	t.Run("to one that has joined a moment ago", func(t *testing.T) {
		for i := range 5 {
			node := fmt.Sprint("ask-new-", i)
			t.Cleanup(func() { c.Send(http.MethodDelete, "/api/v1/nodes/"+node, "", nil) })
			must(t, c.Send(http.MethodPost, "/api/v1/nodes", `{"metadata":{"name":"`+node+`","labels":{"driftbar.io/drift":"minor"}}}`, nil))
			expectRefusal(t, pin("early", node), `admission webhook "validate.driftbar.io" denied the request: `+
				`pinned/drifted: Pod "early": node `+node+`: label driftbar.io/drift is "minor", must not be there`)
		}
	})
}

func expectRefusal(t *testing.T, err error, message string) {
	t.Helper()
	if err == nil || err.Error() != "403: "+message {
		t.Errorf("got  %v\nwant 403: %s", err, message)
	}
}
