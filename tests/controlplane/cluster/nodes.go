package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Node is a node as its kubelet registers it. What it leaves open gets plausible values: 32 cores, 256 Gi, the
// labels of its name and architecture. As on a real node, labels under node-restriction.kubernetes.io and most under
// kubernetes.io are not the kubelet's to set; a test does that with kubectl afterwards, as an administrator.
type Node struct {
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	Taints      []Taint
	Capacity    map[string]string // such as nvidia.com/gpu: 8; allocatable is the same
	Conditions  []Condition       // besides those that every kubelet reports
}

// Taint is one of a node's.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// Condition is one of a node's.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// StartNodes brings nodes up and waits until pods can be scheduled to them. They go with the test, their objects
// too. The process that is returned is the kubelet of all of them.
func (c *Cluster) StartNodes(t testing.TB, nodes ...Node) *Process {
	t.Helper()
	var manifest strings.Builder
	for _, n := range nodes {
		manifest.WriteString("---\n" + n.manifest(t) + "\n")
		t.Cleanup(func() { c.remove(t, "/api/v1/nodes/"+n.Name) })
	}
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte(manifest.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	kubelet := Launch(t, "kubelet", []string{c.binary, "kubelet", "--until-stdin-ends", "--state", c.Dir, "--nodes", file})
	kubelet.WaitFor(t, `(?m)^READY$`)
	for _, n := range nodes {
		Eventually(t, "node "+n.Name+" is ready for pods", func() error { return c.nodeReady(n.Name) })
	}
	return kubelet
}

// nodeReady: until the node lifecycle controller has seen that a new node is ready, the node has a taint.
func (c *Cluster) nodeReady(name string) error {
	var node struct{ Spec struct{ Taints []Taint } }
	if err := c.Get("/api/v1/nodes/"+name, &node); err != nil {
		return err
	}
	for _, taint := range node.Spec.Taints {
		if strings.HasPrefix(taint.Key, "node.kubernetes.io/not-ready") {
			return errors.New("it has the taint " + taint.Key)
		}
	}
	return nil
}

func (n Node) manifest(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": n.Name, "labels": n.Labels, "annotations": n.Annotations},
		"spec":     map[string]any{"taints": n.Taints},
		"status":   map[string]any{"capacity": n.Capacity, "conditions": n.Conditions},
	})
	if err != nil {
		t.Fatal(fmt.Errorf("node %s: %w", n.Name, err))
	}
	return string(text)
}
