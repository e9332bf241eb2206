package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// register registers a gate by the configuration of docs/quickstart.md, so that nothing stands there that was not seen
// here. Changed is only what a test must have of its own: the gate's address and authority, the configuration's name,
// the namespaces, and failurePolicy, which is Fail. Objects without a namespace are sent whosever they are: policies
// about nodes keep to names.
func register(t *testing.T, c *cluster.Cluster, gate *cluster.Gate, namespaces ...string) (configuration string) {
	t.Helper()
	registerBy(t, c, "Validating", gate, 3, 2, namespaces...)
	return namespaces[0]
}

// registerBy takes the configuration of such a kind, which has so many webhooks and namespace selectors.
func registerBy(t *testing.T, c *cluster.Cluster, kind string, gate *cluster.Gate, webhooks, selectors int, namespaces ...string) {
	t.Helper()
	page := read(t, "../../docs/quickstart.md")
	block := "(?s)```yaml\n(apiVersion: admissionregistration.k8s.io/v1\nkind: " + kind + "WebhookConfiguration.*?)```"
	found := regexp.MustCompile(block).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("docs/quickstart.md has no %sWebhookConfiguration", kind)
	}
	text, name := found[1], namespaces[0]
	for _, change := range []struct {
		from, to string
		times    int
	}{
		{"  name: driftbar\n", "  name: " + name + "\n", 1},
		{"https://gate.example.com:8443/", gate.URL + "/", webhooks},
		{"…            # base64 -w0 certs/ca.crt", base64.StdEncoding.EncodeToString(gate.CA), webhooks},
		{"failurePolicy: Ignore", "failurePolicy: Fail", webhooks},
		{"NotIn, values: [kube-system, driftbar-system]", "In, values: [" + strings.Join(namespaces, ", ") + "]", selectors},
	} {
		if times := strings.Count(text, change.from); times != change.times {
			t.Fatalf("docs/quickstart.md has %q %d times, not %d", change.from, times, change.times)
		}
		text = strings.ReplaceAll(text, change.from, change.to)
	}
	c.Apply(t, "", text)
	t.Cleanup(func() { unregisterBy(t, c, kind, name) })
	c.SettleWebhooks(t)
}

func unregister(t *testing.T, c *cluster.Cluster, configuration string) {
	t.Helper()
	unregisterBy(t, c, "Validating", configuration)
}

func unregisterBy(t *testing.T, c *cluster.Cluster, kind, configuration string) {
	t.Helper()
	path := "/apis/admissionregistration.k8s.io/v1/" + strings.ToLower(kind) + "webhookconfigurations/" + configuration
	if err := c.Send(http.MethodDelete, path, "", nil); err != nil && !strings.HasPrefix(err.Error(), "404") {
		t.Errorf("unregister: %v", err)
	}
}

// denial is how kubectl shows a refusal; doing is what it says first, `error when creating "STDIN": ` or nothing.
func denial(doing, webhook, message string) string {
	return "Error from server (Forbidden): " + doing + `admission webhook "` + webhook + `" denied the request: ` + message
}

// expectMatch compares a text in which NAME stands for the rest of a generated name.
func expectMatch(t *testing.T, got, want string) {
	t.Helper()
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "NAME", "[-a-z0-9]+")
	if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestDeadGateIsInTheWayOfNobodyButThoseItJudges kills a gate whose webhooks all have failurePolicy Fail. Not in
// parallel: meanwhile nobody can edit nodes.
func TestDeadGateIsInTheWayOfNobodyButThoseItJudges(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("fail-01", nil))
	namespace, elsewhere := c.Namespace(t), c.Namespace(t)
	const pod = `{apiVersion: v1, kind: Pod, metadata: {name: %s, finalizers: %s}, spec: {nodeName: fail-01, ` +
		`terminationGracePeriodSeconds: 1, containers: [{name: a, image: none}]}}`
	c.Apply(t, namespace, fmt.Sprintf(pod, "leaving", "[example.com/hold]"))
	c.Apply(t, namespace, fmt.Sprintf(pod, "staying", "[]"))
	c.Wait(t, namespace, "pod/leaving", "condition=Ready")
	c.Kubectl(t, "-n", namespace, "delete", "pod", "leaving", "--wait=false").Must(t)

	gate := c.StartGate(t, "--policies", shippedPolicy, "--kubeconfig", c.Kubeconfig)
	configuration := register(t, c, gate, namespace)
	gate.Kill(t)

	in := func(args ...string) []string { return append([]string{"-n", namespace}, args...) }
	as := func(user, group string, args ...string) []string {
		return append([]string{"--as", user, "--as-group", group, "--as-group", "system:authenticated"}, args...)
	}
	kubelet := func(args ...string) []string { return as("system:node:fail-01", "system:nodes", args...) }
	controller := func(args ...string) []string {
		return as("system:serviceaccount:kube-system:node-controller", "system:serviceaccounts", args...)
	}
	mirror := fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: static-fail-01, annotations: {kubernetes.io/config.mirror: x, `+
		`kubernetes.io/config.source: file}, ownerReferences: [{apiVersion: v1, kind: Node, name: fail-01, controller: true, uid: %s}]}, `+
		`spec: {nodeName: fail-01, containers: [{name: a, image: none}]}}`,
		c.Kubectl(t, "get", "node", "fail-01", "-o", "jsonpath={.metadata.uid}").Must(t))

	t.Run("what it judges fails", func(t *testing.T) {
		for _, row := range []struct {
			webhook string
			args    []string
		}{
			{"validate", in("create", "-f", "-")},
			{"validate", in("set", "image", "pod/leaving", "a=other")}, // on its way out, and not only its metadata changes
			{"nodes", []string{"label", "node", "fail-01", "a=b"}},
			{"sessions", in("exec", "staying", "--", "true")},
		} {
			out := c.KubectlWith(t, fmt.Sprintf(pod, "new", "[]"), row.args...)
			if out.Code == 0 || !strings.Contains(out.Stderr, `failed calling webhook "`+row.webhook+`.driftbar.io"`) {
				t.Errorf("got %s", out)
			}
		}
	})
	for _, row := range []struct {
		name, manifest string
		args           []string
	}{
		{"a finalizer goes", "", in("patch", "pod", "leaving", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)},
		{"a pod is deleted", "", in("delete", "pod", "staying", "--wait=false")},
		{"a kubelet shows a static pod", mirror, kubelet(in("create", "-f", "-")...)},
		{"a kubelet labels its own node", "", kubelet("label", "node", "fail-01", "example.com/seen=yes")},
		{"the node lifecycle controller taints", "", controller("taint", "node", "fail-01", "node.kubernetes.io/unreachable:NoSchedule")},
		{"a pod is created in a namespace that is exempt", fmt.Sprintf(pod, "new", "[]"), []string{"-n", elsewhere, "create", "-f", "-"}},
		{"other objects are created", "", in("create", "configmap", "new")},
	} {
		t.Run(row.name, func(t *testing.T) { c.KubectlWith(t, row.manifest, row.args...).Must(t) })
	}
	t.Run("a node joins, reports its status, and is freed of its taints", func(t *testing.T) { c.StartNodes(t, gpuNode("fail-02", nil)) })
	t.Run("deleting the configuration takes it out", func(t *testing.T) {
		c.Kubectl(t, "delete", "validatingwebhookconfiguration", configuration).Must(t)
		c.SettleWebhooks(t)
		c.KubectlWith(t, fmt.Sprintf(pod, "new", "[]"), in("create", "-f", "-")...).Must(t)
	})
}
