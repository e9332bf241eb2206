package main

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What the contract says by example, so that this evaluator is held to its text and not to what the engine makes of it.

const aPod = `{apiVersion: v1, kind: Pod, metadata: {name: bert-0, namespace: ml, labels: {team: a}}, spec: {
  hostPID: true, nodeName: n1,
  securityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}, {name: net.ipv4.tcp_syncookies, value: "1"}]},
  volumes: [{name: a, hostPath: {path: /etc/x}}, {name: b, hostPath: {path: /mnt/data1}}],
  initContainers: [{name: setup, image: other/c:3, env: [{name: INIT, value: "1"}]}],
  containers: [
    {name: trainer, image: "registry/a:1", resources: {limits: {nvidia.com/gpu: "8", cpu: 500m}},
     command: [sh, -c, "export NCCL_ALGO=Ring; mpirun -x NCCL_PROTO=Simple run"],
     env: [{name: NCCL_DEBUG, value: INFO}, {name: FROM, valueFrom: {configMapKeyRef: {name: c, key: k}}}],
     volumeMounts: [{name: a, mountPath: /a, readOnly: true}, {name: b, mountPath: /b}],
     securityContext: {privileged: true, capabilities: {add: [ALL]}}},
    {name: sidecar, image: "registry/b:latest", env: [{name: SIDE, value: x}]}]}}`

const aNode = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: h100, zone: ""}, annotations: {
  driftbar.io/facts: '{"nic.mtu": "9000", "sysctl:net.core.rmem_max": "212992"}'}}, spec: {}, status: {allocatable: {pods: "9"}}}`

// A job whose launcher, which is no rank, and worker differ.
const anMPIJob = `{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: m, namespace: ml, labels: {cost-center: x}}, spec: {mpiReplicaSpecs: {
  Launcher: {template: {spec: {containers: [{name: l, image: i, env: [{name: NCCL_DEBUG, value: WARN}]}]}}},
  Worker: {template: {metadata: {labels: {team: a}}, spec: {containers: [{name: w, image: i, env: [{name: NCCL_DEBUG, value: INFO}], resources: {limits: {nvidia.com/gpu: "8"}}}]}}}}}}`

func decoded(t *testing.T, text string) any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var v any
	decoder := json.NewDecoder(strings.NewReader(string(asJSON)))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func requestOf(object any) map[string]any {
	resource := map[string]any{"group": "", "resource": "pods"}
	switch text(object, "kind") {
	case "MPIJob":
		resource = map[string]any{"group": "kubeflow.org", "resource": "mpijobs"}
	case "Node":
		resource = map[string]any{"group": "", "resource": "nodes"}
	}
	return map[string]any{"operation": "CREATE", "kind": map[string]any{"kind": text(object, "kind")}, "resource": resource,
		"namespace": get(object, "metadata", "namespace"), "userInfo": map[string]any{"username": "alice"}, "object": object}
}

func judged(t *testing.T, rule, object string, more ...string) *verdict {
	t.Helper()
	policy := "{kind: Policy, metadata: {name: p}, spec: {rules: [{name: r, " + rule + "}]}}"
	documents := []any{decoded(t, policy)}
	for _, m := range more {
		documents = append(documents, decoded(t, m))
	}
	c := &testCase{Nodes: []any{decoded(t, aNode)}}
	if err := c.Now.UnmarshalText([]byte("2026-12-01T10:00:00Z")); err != nil {
		t.Fatal(err)
	}
	return judge(readPolicies(documents), c, requestOf(decoded(t, object)))
}

func TestRules(t *testing.T) {
	rows := []struct{ object, rule, is string }{
		// env: containers that ask for an accelerator, unless others are named
		{aPod, "require: {env: NCCL_DEBUG}", "k"},
		{aPod, "deny: {env: NCCL_DEBUG, matches: '(?i)info|trace'}", "b"},
		{aPod, "deny: {env: SIDE}", "k"},
		{aPod, "deny: {env: SIDE, containers: ['*']}", "b"},
		{aPod, "deny: {env: INIT, of: init}", "b"},
		{aPod, "deny: {env: 'NCCL_*', equals: Ring}", "b"},
		{aPod, "require: {env: NCCL_PROTO, equals: Simple}", "k"},
		{aPod, "deny: {env: FROM}", "b"},
		{aPod, "deny: {env: FROM, equals: x}", "u"},
		{aPod, "require: {env: [NONE, NEITHER]}", "k"},
		// resource: 0 where it asks for none, and then it does not exist
		{aPod, "require: {resource: nvidia.com/gpu, equals: 8}", "k"},
		{aPod, "deny: {resource: cpu, lessThan: 1}", "b"},
		{aPod, "deny: {resource: rdma/hca, lessThan: 1}", "b"},
		{aPod, "deny: {resource: rdma/hca, exists: true}", "k"},
		// valued subjects: in deny one that is in it is enough, in require each must be
		{aPod, "require: {image: 'registry/*'}", "b"},
		{aPod, "deny: {image: 'other/*'}", "b"},
		{aPod, "require: {image: '*', notMatches: '.*:latest'}", "b"},
		{aPod, "require: {hostPath: [/mnt/data*, /etc*]}", "k"},
		{aPod, "deny: {hostPath: /etc*, readOnly: false}", "k"},
		{aPod, "deny: {hostPath: /mnt*, readOnly: false}", "b"},
		{aPod, "deny: {capability: SYS_ADMIN}", "b"}, // ALL counts as every name
		{aPod, "require: {capability: NET_BIND_SERVICE}", "b"},
		{aPod, "deny: {sysctl: unsafe}", "b"},
		{aPod, "deny: {sysctl: net.core.somaxconn, moreThan: 512}", "b"},
		{aPod, "deny: {sysctl: net.core.somaxconn, moreThan: 2048}", "k"},
		{aPod, "deny: {hostNamespace: [pid, ipc]}", "b"},
		{aPod, "deny: {hostNamespace: network}", "k"},
		{aPod, "require: {privileged: false}", "b"},
		{aPod, "deny: {not: {privileged: false}}", "b"},
		{aPod, "require: {privileged: false, containers: [sidecar]}", "k"},
		// the node that the pod is on, and what its agent says
		{aPod, "deny: {onNode: {label: pool, equals: h100}}", "b"},
		{aPod, "require: {onNode: {fact: nic.mtu, atLeast: 9000}}", "k"},
		{aPod, "deny: {onNode: {fact: selinux.mode}}", "k"},
		{aPod, "avoidNodes: {sysctl: net.core.rmem_max, lessThan: 512Mi}", "b"},
		{aPod, "avoidNodes: {drift: {atLeast: major}}", "k"}, // not known: safe with a warning
		{aPod, "avoidNodes: {drift: {atLeast: major}}, onUnknown: deny", "b"},
		// a workload, template by template
		{anMPIJob, "require: {resource: nvidia.com/gpu, equals: 8}", "b"},
		{anMPIJob, "require: {resource: nvidia.com/gpu, equals: 8, of: ranks}", "k"},
		{anMPIJob, "require: {label: team}", "b"},
		{anMPIJob, "require: {label: cost-center, of: object}", "k"},
		{anMPIJob, "require: {rankEnv: ['NCCL_*'], agree: true}", "k"}, // the launcher is no rank
		{anMPIJob, "require: {field: 'templates[*].metadata.labels.team', agree: true}", "b"},
	}
	for _, row := range rows {
		if is := judged(t, row.rule, row.object).Rules["p/r"]; is != row.is {
			t.Errorf("%s: %s, not %s", row.rule, is, row.is)
		}
	}
}

func TestDocuments(t *testing.T) {
	const exemption = "{kind: Exemption, metadata: {name: e}, spec: {rules: ['p/*'], expires: %, match: {namespaces: [ml]}}}"
	if v := judged(t, "require: {label: none}", aPod, strings.Replace(exemption, "%", "2026-12-01", 1)); len(v.Exempted) != 1 || v.Refused != nil {
		t.Error("a day is lifted until its end")
	}
	if v := judged(t, "require: {label: none}", aPod, strings.Replace(exemption, "%", "'2026-12-01T10:00:00Z'", 1)); len(v.Refused) != 1 {
		t.Error("a time that has come lifts nothing")
	}
	const class = "{kind: WorkloadClass, metadata: {name: side}, spec: {any: [{env: SIDE, containers: ['*']}], sensitiveTo: [gpu]}}"
	policy := "{kind: Policy, metadata: {name: q}, spec: {match: {workload: side}, rules: [{name: r, require: {label: none}}]}}"
	if v := judged(t, "deny: {label: none}", aPod, class, policy); v.Rules["q/r"] != "b" {
		t.Error("the pod belongs to the class")
	}
}
