package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
	"driftbar.io/tests/controlplane/recorder"
)

// TestControlPlane shows that the ground is firm on which the other tests stand: what a cluster does, this one does.
func TestControlPlane(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, cluster.Node{
		Name: "gpu-01", Labels: map[string]string{"example.com/pool": "a100"},
		Capacity: map[string]string{"nvidia.com/gpu": "8"},
		Taints:   []cluster.Taint{{Key: "nvidia.com/gpu", Effect: "NoSchedule"}},
	}, cluster.Node{Name: "cpu-01"})

	t.Run("kubectl and the API server are of one release", func(t *testing.T) {
		out := c.Kubectl(t, "version").Must(t)
		found := regexp.MustCompile(`Client Version: (v1\.\d+\.\d+)\nKustomize Version: .*\nServer Version: (v1\.\d+\.\d+)\n`).FindStringSubmatch(out)
		if found == nil || found[1] != found[2] {
			t.Errorf("got %s", out)
		}
	})

	t.Run("a pod is scheduled to the node that fits and runs its command there", func(t *testing.T) {
		namespace := c.Namespace(t)
		c.Apply(t, namespace, `{apiVersion: v1, kind: Pod, metadata: {name: train}, spec: {
			restartPolicy: Never, nodeSelector: {example.com/pool: a100}, tolerations: [{key: nvidia.com/gpu, operator: Exists}],
			containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 8}}, command: [sh, -c, 'echo "$WHERE"; exit 3'],
			              env: [{name: WHERE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]}]}}`)
		c.Wait(t, namespace, "pod/train", "jsonpath={.status.phase}=Failed")
		code := c.Kubectl(t, "-n", namespace, "get", "pod", "train", "-o", "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}").Must(t)
		if log := c.PodLog(t, namespace, "train", "main"); code != "3" || log != "gpu-01\n" {
			t.Errorf("exit code %s, log %q", code, log)
		}
	})

	t.Run("a pod that fits nowhere stays pending and says why", func(t *testing.T) {
		namespace := c.Namespace(t)
		c.Apply(t, namespace, `{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {
			containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 9}}}]}}`)
		c.WaitForEvent(t, namespace, "big", "0/2 nodes are available")
	})

	t.Run("a Job completes", func(t *testing.T) {
		namespace := c.Namespace(t)
		c.Apply(t, namespace, `{apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {completions: 2, parallelism: 2,
			template: {spec: {restartPolicy: Never, containers: [{name: main, image: none, command: ["true"]}]}}}}`)
		c.Wait(t, namespace, "job/job", "condition=Complete")
	})

	t.Run("a container that fails is run again until it succeeds", func(t *testing.T) {
		namespace := c.Namespace(t)
		c.Apply(t, namespace, `{apiVersion: v1, kind: Pod, metadata: {name: retry}, spec: {restartPolicy: OnFailure,
			initContainers: [{name: before, image: none, command: [sh, -c, 'exit 0']}],
			containers: [{name: main, image: none, command: [sh, -c, 'test -e was-here || { touch was-here; exit 1; }']}]}}`)
		c.Wait(t, namespace, "pod/retry", "jsonpath={.status.phase}=Succeeded")
		if restarts := c.Kubectl(t, "-n", namespace, "get", "pod", "retry", "-o", "jsonpath={.status.containerStatuses[0].restartCount}").Must(t); restarts != "1" {
			t.Errorf("%s restarts", restarts)
		}
	})

	t.Run("the pods of Deployment, StatefulSet, DaemonSet and CronJob come up", func(t *testing.T) {
		namespace := c.Namespace(t)
		const pod = `{metadata: {labels: {app: x}}, spec: {containers: [{name: main, image: none, command: [sleep, "1000"]}]}}`
		c.Apply(t, namespace, fmt.Sprintf(`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 2, selector: {matchLabels: {app: x}}, template: %[1]s}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: 2, selector: {matchLabels: {app: x}}, template: %[1]s}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {matchLabels: {app: x}}, template: %[1]s}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {
  restartPolicy: Never, containers: [{name: main, image: none, command: ["true"]}]}}}}}}`, pod))
		for _, set := range []string{"deployment/d", "statefulset/s", "daemonset/a"} {
			c.Kubectl(t, "-n", namespace, "rollout", "status", set, "--timeout=60s").Must(t)
		}
		c.Kubectl(t, "-n", namespace, "create", "job", "now", "--from=cronjob/c").Must(t)
		c.Wait(t, namespace, "job/now", "condition=Complete")
	})

	t.Run("a pod is ready when its probe says so, is an endpoint then, and ends in its grace", func(t *testing.T) {
		namespace := c.Namespace(t)
		served, err := recorder.Start("localhost", "127.0.0.1", nil) // answers a GET with 400: not ready
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(served.Close)
		port := served.URL[strings.LastIndex(served.URL, ":")+1:]
		c.Apply(t, namespace, fmt.Sprintf(`
{apiVersion: v1, kind: Pod, metadata: {name: never, labels: {app: x}}, spec: {containers: [{name: main, image: none, command: [sleep, "1000"],
  readinessProbe: {httpGet: {scheme: HTTPS, port: %[1]s}, periodSeconds: 1}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ready, labels: {app: x}}, spec: {containers: [{name: main, image: none,
  command: [sh, -c, 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'],
  readinessProbe: {httpGet: {scheme: HTTPS, host: 127.0.0.1, port: %[2]s, path: /livez}, periodSeconds: 1}}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {selector: {app: x}, ports: [{port: 80}]}}`, port, c.URL[strings.LastIndex(c.URL, ":")+1:]))
		c.Wait(t, namespace, "pod/ready", "condition=Ready")
		c.Wait(t, namespace, "pod/never", "jsonpath={.status.phase}=Running")
		c.Wait(t, namespace, "endpoints/x", "jsonpath={.subsets[0].addresses[0].targetRef.name}=ready")
		c.Wait(t, namespace, "endpoints/x", "jsonpath={.subsets[0].notReadyAddresses[0].targetRef.name}=never")
		cluster.Eventually(t, "the pod has set its trap", func() error {
			if log := c.PodLog(t, namespace, "ready", "main"); log != "up\n" {
				return fmt.Errorf("it printed %q", log)
			}
			return nil
		})
		c.Kubectl(t, "-n", namespace, "delete", "pod", "ready", "never").Must(t)
		if log := c.PodLog(t, namespace, "ready", "main"); log != "up\nbye\n" {
			t.Errorf("it printed %q", log)
		}
	})

	t.Run("a NoExecute taint evicts a pod", func(t *testing.T) {
		namespace := c.Namespace(t)
		c.Apply(t, namespace, `{apiVersion: v1, kind: Pod, metadata: {name: guest}, spec: {nodeName: cpu-01, containers: [{name: main, image: none}]}}`)
		c.Wait(t, namespace, "pod/guest", "condition=Ready")
		c.Kubectl(t, "taint", "node", "cpu-01", "driftbar.io/drift=critical:NoExecute").Must(t)
		c.Wait(t, namespace, "pod/guest", "delete")
		c.Kubectl(t, "taint", "node", "cpu-01", "driftbar.io/drift-").Must(t)
	})

	t.Run("a node may not lift its own taints", func(t *testing.T) {
		out := c.Kubectl(t, "--kubeconfig", c.Dir+"/node-gpu-01.kubeconfig", "taint", "node", "gpu-01", "nvidia.com/gpu-")
		const want = "Error from server (Forbidden): nodes \"gpu-01\" is forbidden: node \"gpu-01\" is not allowed to modify taints\n"
		if out.Code != 1 || out.Stderr != want {
			t.Errorf("got %s", out)
		}
	})

	t.Run("a webhook under the host name is spoken to in HTTP/1.1", func(t *testing.T) {
		namespace := c.Namespace(t)
		r := c.StartRecorder(t)
		c.Register(t, cluster.Webhook{Name: "pods.recorder.test", URL: r.URL + "/validate", CA: r.CA, Namespaces: []string{namespace},
			Rules: []cluster.Rule{{Operations: []string{"CREATE"}, Resources: []string{"pods"}}}})
		c.Register(t, cluster.Webhook{Name: "pods.recorder.test", Mutating: true, URL: r.URL + "/mutate", CA: r.CA, Namespaces: []string{namespace},
			Rules: []cluster.Rule{{Operations: []string{"CREATE"}, Resources: []string{"pods"}}}})
		c.Kubectl(t, "-n", namespace, "run", "seen", "--image=none").Must(t)
		reviews := r.Reviews(nil)
		if len(reviews) != 2 {
			t.Fatalf("%d reviews, want one of each kind", len(reviews))
		}
		for i, path := range []string{"/mutate", "/validate"} {
			got := reviews[i]
			if got.Path != path || got.Protocol != "HTTP/1.1" || got.Host != c.Host || got.What() != "pods" || got.Request.Name != "seen" {
				t.Errorf("got %s over %s to %s: %s %s", got.Path, got.Protocol, got.Host, got.What(), got.Request.Name)
			}
		}
	})
}

// TestControlPlaneWithHostsOfItsOwn is for machines whose own name does not mean loopback.
func TestControlPlaneWithHostsOfItsOwn(t *testing.T) {
	c := cluster.Start(t, "--own-hosts")
	r := c.StartRecorder(t)
	hook := cluster.Webhook{Name: "configmaps.recorder.test", URL: r.URL + "/validate", CA: r.CA, Namespaces: []string{"default"},
		Rules: []cluster.Rule{{Operations: []string{"CREATE"}, Resources: []string{"configmaps"}}}}
	c.Register(t, hook)
	c.Kubectl(t, "create", "configmap", "seen").Must(t)
	c.Unregister(t, hook)
	c.Kubectl(t, "create", "configmap", "unseen").Must(t)
	named := r.Reviews(func(r recorder.Review) bool { return strings.HasSuffix(r.Request.Name, "seen") })
	if len(named) != 1 || named[0].Host != "webhooks.driftbar.test" || named[0].Protocol != "HTTP/1.1" {
		t.Errorf("got %d reviews: %+v", len(named), named)
	}
}
