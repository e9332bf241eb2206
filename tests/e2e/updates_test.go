package e2e

import (
	"fmt"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// newerPolicy has rules that the objects of TestUpdateAnswersForWhatItBringsIn break, and are older than.
const newerPolicy = `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: newer}
spec:
  rules:
    - name: team
      require: {label: team}
      fix: label the pod template with your team
    - name: registry
      require: {image: "registry.example/*"}
    - name: debug
      deny: {env: NCCL_DEBUG, equals: TRACE}
    - name: owner
      require: {label: owner, of: object}
`

// TestUpdateAnswersForWhatItBringsIn: objects that broke no rule when they were made stay workable, and are let go.
func TestUpdateAnswersForWhatItBringsIn(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	c.StartNodes(t, cluster.Node{Name: "old-01", Labels: map[string]string{"pool": "old"}})
	namespace := c.Namespace(t)
	const spec = `nodeSelector: {pool: old}, terminationGracePeriodSeconds: 1, ` +
		`containers: [{name: main, image: other.example/a:1, command: [sleep, "1000"]}]`
	c.Apply(t, namespace, fmt.Sprintf(`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: old, finalizers: [example.com/hold]}, spec: {replicas: 1,
  selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {%[1]s}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: leaving, finalizers: [example.com/hold]}, spec: {suspend: true,
  template: {spec: {restartPolicy: Never, %[1]s}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old, labels: {tier: gold}, finalizers: [example.com/hold]}, spec: {%[1]s}}
`, spec))
	c.Wait(t, namespace, "pod/old", "condition=Ready")
	c.Kubectl(t, "-n", namespace, "rollout", "status", "deployment/old", "--timeout=60s").Must(t)
	gate := c.StartGate(t, "--policies", manifest(t, "policy.yaml", newerPolicy), "--kubeconfig", c.Kubeconfig)
	register(t, c, gate, namespace)

	const letGo = `{"metadata":{"finalizers":null}}`
	const denied = `admission webhook "validate.driftbar.io" denied the request: `
	gone := func(what string) string { return what + " deleted from " + namespace + " namespace\n" }
	for _, row := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"scaled", []string{"scale", "deployment", "old", "--replicas=0"}, 0, "deployment.apps/old scaled\n", ""},
		{"annotated", []string{"annotate", "deployment", "old", "note=x"}, 0, "deployment.apps/old annotated\n", ""},
		{"labelled", []string{"label", "deployment", "old", "tier=gold"}, 0, "deployment.apps/old labeled\n", ""},
		{"another variable", []string{"set", "env", "deployment/old", "A=b"}, 0, "deployment.apps/old env updated\n", ""},
		{"a new break", []string{"set", "env", "deployment/old", "NCCL_DEBUG=TRACE"}, 1, "",
			"error: failed to patch env update to pod template: " + denied +
				`newer/debug: Deployment "old": env NCCL_DEBUG of container main is "TRACE", must not be "TRACE"` + "\n"},
		{"the same rule by another value", []string{"set", "image", "deployment/old", "main=another.example/b:1"}, 1, "",
			"error: failed to patch image update to pod template: " + denied +
				`newer/registry: Deployment "old": image of container main is "another.example/b:1", must match "registry.example/*"` + "\n"},
		{"mended", []string{"set", "image", "deployment/old", "main=registry.example/a:1"}, 0, "deployment.apps/old image updated\n", ""},
		{"and broken again", []string{"set", "image", "deployment/old", "main=other.example/a:1"}, 1, "",
			"error: failed to patch image update to pod template: " + denied +
				`newer/registry: Deployment "old": image of container main is "other.example/a:1", must match "registry.example/*"` + "\n"},
		{"labelled with what was missing", []string{"label", "deployment", "old", "owner=me"}, 0, "deployment.apps/old labeled\n", ""},
		{"and without it again", []string{"label", "deployment", "old", "owner-"}, 1, "",
			"Error from server (Forbidden): " + denied + `newer/owner: Deployment "old": label owner of the Deployment itself is missing, must be there` + "\n"},
		{"a finalizer goes", []string{"patch", "deployment", "old", "--type=merge", "-p", letGo}, 0, "deployment.apps/old patched\n", ""},
		{"deleted", []string{"delete", "deployment", "old"}, 0, gone(`deployment.apps "old"`), ""},

		{"a suspended job is deleted", []string{"delete", "job", "leaving", "--wait=false"}, 0, gone(`job.batch "leaving"`), ""},
		{"and let go", []string{"patch", "job", "leaving", "--type=merge", "-p", letGo}, 0, "job.batch/leaving patched\n", ""},

		{"a pod is annotated", []string{"annotate", "pod", "old", "note=x"}, 0, "pod/old annotated\n", ""},
		{"a label goes that no rule wants", []string{"label", "pod", "old", "tier-"}, 0, "pod/old unlabeled\n", ""},
		{"a container is added to look inside", []string{"debug", "old", "--image=another.example/debug:1", "-c", "debug", "--profile=general"}, 1, "",
			"Error from server (Forbidden): " + denied +
				`newer/registry: Pod "old": image of container debug is "another.example/debug:1", must match "registry.example/*"` + "\n"},
		{"a pod is deleted", []string{"delete", "pod", "old", "--wait=false"}, 0, gone(`pod "old"`), ""},
		{"a pod on its way out is labelled", []string{"label", "pod", "old", "a=b"}, 0, "pod/old labeled\n", ""},
		{"and let go", []string{"patch", "pod", "old", "--type=merge", "-p", letGo}, 0, "pod/old patched\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			expect(t, c.Kubectl(t, append([]string{"-n", namespace}, row.args...)...), row.code, row.stdout, row.stderr)
		})
	}
	t.Run("they are gone", func(t *testing.T) {
		c.Wait(t, namespace, "pod/old", "delete")
		c.Wait(t, namespace, "job/leaving", "delete")
	})
}
