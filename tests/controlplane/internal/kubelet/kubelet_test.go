package kubelet

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func exited(policy corev1.RestartPolicy, code int32) *container {
	return &container{policy: policy, last: &corev1.ContainerStateTerminated{ExitCode: code}}
}

func TestPhase(t *testing.T) {
	running, waiting := &container{pretend: true}, &container{}
	for _, row := range []struct {
		behaviour   string
		containers  []*container
		terminating bool
		want        corev1.PodPhase
	}{
		{"nothing has begun", []*container{waiting}, false, corev1.PodPending},
		{"one runs", []*container{waiting, running}, false, corev1.PodRunning},
		{"one has ended, one runs", []*container{exited("Never", 1), running}, false, corev1.PodRunning},
		{"one has ended, one cannot begin", []*container{exited("Never", 0), waiting}, false, corev1.PodPending},
		{"all have ended well", []*container{exited("Never", 0), exited("OnFailure", 0)}, false, corev1.PodSucceeded},
		{"one has ended badly for good", []*container{exited("Never", 0), exited("Never", 3)}, false, corev1.PodFailed},
		{"what will run again is not over", []*container{exited("OnFailure", 3)}, false, corev1.PodRunning},
		{"Always is never over", []*container{exited("Always", 0)}, false, corev1.PodRunning},
		{"nothing runs again in a pod that is deleted", []*container{exited("Always", 143)}, true, corev1.PodFailed},
	} {
		if got := phaseOf(row.containers, row.terminating); got != row.want {
			t.Errorf("%s: got %s, want %s", row.behaviour, got, row.want)
		}
	}
}

func TestRestartWaitsDoubleUpToALimit(t *testing.T) {
	for restarts, want := range map[int32]time.Duration{0: time.Second, 1: 2 * time.Second, 4: 16 * time.Second, 1000: 16 * time.Second} {
		c := exited("Always", 1)
		c.restarts, c.last.FinishedAt = restarts, metav1.NewTime(time.Now().Add(time.Hour))
		if got := c.untilRestart() - time.Hour; got > want || got < want-time.Minute {
			t.Errorf("after %d restarts: %v, want %v", restarts, got, want)
		}
	}
}

func TestEnvironmentIsWhatThePodSays(t *testing.T) {
	object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", Labels: map[string]string{"a": "b"}},
		Spec: corev1.PodSpec{NodeName: "gpu-01"}}
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	c := &corev1.Container{Command: []string{"echo", "$(NODE)"}, Args: []string{"$$(NODE)", "$(PATH)"}, Env: []corev1.EnvVar{
		{Name: "NODE", ValueFrom: field("spec.nodeName")}, {Name: "LABEL", ValueFrom: field("metadata.labels['a']")},
		{Name: "IP", ValueFrom: field("status.podIP")}, {Name: "BOTH", Value: "$(NODE)/$(LABEL)"}}}
	known, list, err := environmentOf(object, c, "10.64.0.1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"PATH=" + os.Getenv("PATH"), "HOSTNAME=p", "NODE=gpu-01", "LABEL=b", "IP=10.64.0.1", "BOTH=gpu-01/b"}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got %q", list)
	}
	if argv := argvOf(c, known); !reflect.DeepEqual(argv, []string{"echo", "gpu-01", "$(NODE)", "$(PATH)"}) {
		t.Errorf("argv %q", argv)
	}
	c.Env[0].ValueFrom = field("spec.nosuch")
	if _, _, err := environmentOf(object, c, ""); err == nil || err.Error() != "env NODE: unsupported fieldPath: spec.nosuch" {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeRunIsNamed(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	for want, c := range map[string]*corev1.Container{
		"": {ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}}}},
		"a container with a restartPolicy of its own": {RestartPolicy: &always},
		"envFrom":                                     {EnvFrom: []corev1.EnvFromSource{{}}},
		"a readiness probe other than httpGet":        {ReadinessProbe: &corev1.Probe{}},
		"valueFrom other than fieldRef in env SECRET": {Env: []corev1.EnvVar{{Name: "SECRET", ValueFrom: &corev1.EnvVarSource{}}}},
	} {
		if got := unsupported(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func runToEnd(t *testing.T, signal func(*process), argv ...string) (code int32, log string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pod", "c.log")
	ended := make(chan struct{})
	p, err := startProcess(argv, []string{"PATH=" + os.Getenv("PATH")}, "", file, func() { close(ended) })
	if err != nil {
		t.Fatal(err)
	}
	if signal != nil {
		signal(p)
	}
	<-ended
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code, over := p.exit()
	if !over {
		t.Error("told of the end before it was one")
	}
	return code, string(text)
}

func TestExitCodeIsTheOneARuntimeReports(t *testing.T) {
	for _, row := range []struct {
		behaviour string
		signal    func(*process)
		command   string
		want      int32
	}{
		{"its own", nil, "exit 7", 7},
		{"128 and the signal", (*process).terminate, "exec sleep 1000", 128 + int32(syscall.SIGTERM)},
		{"killed", (*process).kill, "exec sleep 1000", 128 + int32(syscall.SIGKILL)},
	} {
		if got, _ := runToEnd(t, row.signal, "sh", "-c", row.command); got != row.want {
			t.Errorf("%s: got %d, want %d", row.behaviour, got, row.want)
		}
	}
}

func TestWhatAContainerStartedEndsWithIt(t *testing.T) {
	code, log := runToEnd(t, nil, "sh", "-c", "sleep 1000 & echo $!")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	for start := time.Now(); alive(log); time.Sleep(time.Millisecond) { // the kernel ends it in its own time
		if time.Since(start) > time.Minute {
			t.Fatalf("process %s still runs", log)
		}
	}
}

// alive: there, and no zombie, which is what is left of a process until its parent asks.
func alive(pid string) bool {
	state, err := os.ReadFile("/proc/" + strings.TrimSpace(pid) + "/stat")
	return err == nil && !strings.Contains(string(state), ") Z ")
}

func TestProbeGoesToLoopbackAndTheNamedPort(t *testing.T) {
	c := &corev1.Container{Ports: []corev1.ContainerPort{{Name: "ops", ContainerPort: 8080}}}
	for want, get := range map[string]*corev1.HTTPGetAction{
		"http://127.0.0.1:8080/readyz":  {Path: "/readyz", Port: intstr.FromString("ops")},
		"https://127.0.0.1:8443/":       {Scheme: corev1.URISchemeHTTPS, Port: intstr.FromInt32(8443)},
		"http://127.0.0.7:80/a?verbose": {Host: "127.0.0.7", Path: "a?verbose", Port: intstr.FromInt32(80)},
	} {
		if got := probeURL(c, get); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNodeFileSaysWhatANodeIsAndTheRestIsFilledIn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	const text = "kind: Node\nmetadata: {name: a, labels: {kubernetes.io/arch: arm64}}\nstatus: {capacity: {cpu: 8, nvidia.com/gpu: 4}}\n---\n" +
		`{"kind": "Node", "metadata": {"name": "b"}}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	nodes, err := readNodes(file)
	if err != nil || len(nodes) != 2 || nodes[1].Name != "b" {
		t.Fatalf("got %v, %v", nodes, err)
	}
	complete(nodes[0])
	got := nodes[0]
	if got.Labels["kubernetes.io/arch"] != "arm64" || got.Labels["kubernetes.io/hostname"] != "a" {
		t.Errorf("labels %v", got.Labels)
	}
	cpu, gpu, memory := got.Status.Allocatable["cpu"], got.Status.Allocatable["nvidia.com/gpu"], got.Status.Allocatable["memory"]
	if cpu.String() != "8" || gpu.String() != "4" || memory.String() != "256Gi" {
		t.Errorf("allocatable %v", got.Status.Allocatable)
	}
}

func TestNodeFileThatHoldsSomethingElseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte("kind: Pod\nmetadata: {name: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readNodes(file); err == nil || err.Error() != file+`: a Node with a name is wanted, not kind "Pod", name "a"` {
		t.Errorf("got %v", err)
	}
}
