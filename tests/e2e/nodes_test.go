package e2e

import (
	"fmt"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// TestEditsOfNodesAreJudgedByWhatTheyChange sends every write of a node to the gate, also those that the registration of
// the quickstart keeps from it: a kubelet's and the controllers'.
func TestEditsOfNodesAreJudgedByWhatTheyChange(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	gate := c.StartGate(t, "--kubeconfig", c.Kubeconfig, "--policies", manifest(t, "policy.yaml", `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: edits}
spec:
  match: {resources: [nodes], names: ["edit-*"]}
  except:
    - requestedBy: {onOwnNode: true}
  rules:
    - name: pool
      deny: {changed: node.metadata.labels, keys: [pool, "nvidia.com/*"]}
      fix: the pool's labels belong to the GPU operator
    - name: taints
      deny: {changed: node.spec.taints}
      fix: open a change with the node team
    - name: cordon
      deny: {changed: node.spec.unschedulable}
      fix: drain with the maintenance tool
`))
	c.Register(t, cluster.Webhook{Name: "edits.driftbar.io", URL: gate.URL + "/validate", CA: gate.CA,
		Rules: []cluster.Rule{{Operations: []string{"CREATE", "UPDATE"}, Resources: []string{"nodes", "nodes/status"}}}})

	kubelet := c.StartNodes(t, gpuNode("edit-01", map[string]string{"pool": "a"}), gpuNode("edit-02", map[string]string{"pool": "a"}))
	t.Run("a node joins: its kubelet registers it and reports, the controllers lift their taints", func(t *testing.T) {
		_, metrics, err := gate.AskOps("/metrics")
		if err != nil || strings.Contains(metrics, `verdict="refused"`) || !strings.Contains(metrics, `verdict="allowed"`) {
			t.Errorf("%v\n%s", err, metrics)
		}
	})
	refused := func(message string) string { return denial("", "edits.driftbar.io", message) }
	const operator = "\n  fix: the pool's labels belong to the GPU operator\n"
	const cordoned = `error: unable to cordon node "edit-01": admission webhook "edits.driftbar.io" denied the request: ` +
		`edits/cordon: Node "edit-01": spec.unschedulable is added as true, must not be changed` + "\n  fix: drain with the maintenance tool\n"
	for _, row := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"a label that a rule guards", []string{"label", "node", "edit-01", "pool=b", "--overwrite"}, 1, "",
			refused(`edits/pool: Node "edit-01": label pool is changed from "a" to "b", must not be changed` + operator)},
		{"taking it off", []string{"label", "node", "edit-01", "pool-"}, 1, "",
			refused(`edits/pool: Node "edit-01": label pool is taken off; it was "a", must not be changed` + operator)},
		{"adding one", []string{"label", "node", "edit-01", "nvidia.com/gpu.product=A100"}, 1, "",
			refused(`edits/pool: Node "edit-01": label nvidia.com/gpu.product is added as "A100", must not be changed` + operator)},
		{"by way of its status", []string{"patch", "node", "edit-01", "--subresource=status", "--type=merge", "-p", `{"metadata":{"labels":{"pool":"b"}}}`}, 1, "",
			refused(`edits/pool: Node "edit-01": label pool is changed from "a" to "b", must not be changed` + operator)},
		{"another label", []string{"label", "node", "edit-01", "rack=r1"}, 0, "node/edit-01 labeled\n", ""},
		{"an annotation", []string{"annotate", "node", "edit-01", "note=x"}, 0, "node/edit-01 annotated\n", ""},
		{"a taint", []string{"taint", "node", "edit-01", "example.com/broken=yes:NoSchedule"}, 1, "",
			refused(`edits/taints: Node "edit-01": taint example.com/broken:NoSchedule is added, must not be changed` +
				"\n  fix: open a change with the node team\n")},
		{"a cordon, which kubectl tells in words only", []string{"cordon", "edit-01"}, 0, "", cordoned},
		{"a drain, with which kubectl goes on all the same", []string{"drain", "edit-01", "--dry-run=server"}, 0,
			"node/edit-01 drained (server dry run)\n", cordoned},
		{"nothing changes", []string{"uncordon", "edit-01"}, 0, "node/edit-01 already uncordoned\n", ""},
		{"a kubelet labels its own node", []string{"--kubeconfig", c.Dir + "/node-edit-01.kubeconfig", "label", "node", "edit-01", "pool=own", "--overwrite"},
			0, "node/edit-01 labeled\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) { expect(t, c.Kubectl(t, row.args...), row.code, row.stdout, row.stderr) })
	}

	t.Run("the node lifecycle controller taints what is not ready, and lifts it", func(t *testing.T) {
		kubelet.Stop(t)
		report := func(ready string) {
			t.Helper()
			c.Kubectl(t, "patch", "node", "edit-02", "--subresource=status", "-p",
				`{"status":{"conditions":[{"type":"Ready","status":"`+ready+`","reason":"Test"}]}}`).Must(t)
		}
		report("False")
		cluster.Eventually(t, "it is tainted", func() error { return hasTaints(c, "edit-02", "NoSchedule", "NoExecute") })
		report("True")
		cluster.Eventually(t, "it is not tainted", func() error { return hasTaints(c, "edit-02") })
	})
}

// hasTaints is nil where the node has the taint not-ready with these effects, in any order, and no other taint.
func hasTaints(c *cluster.Cluster, node string, effects ...string) error {
	var object struct {
		Spec struct{ Taints []cluster.Taint }
	}
	if err := c.Get("/api/v1/nodes/"+node, &object); err != nil {
		return err
	}
	there := map[string]bool{}
	for _, taint := range object.Spec.Taints {
		there[taint.Key+":"+taint.Effect] = true
	}
	for _, effect := range effects {
		if !there["node.kubernetes.io/not-ready:"+effect] {
			return fmt.Errorf("it has %v", there)
		}
	}
	if len(there) != len(effects) {
		return fmt.Errorf("it has %v", there)
	}
	return nil
}
