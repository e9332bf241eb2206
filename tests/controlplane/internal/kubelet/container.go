package kubelet

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The first restart comes soon and the waits double, as a real kubelet's do, but from 1 s to 16 s rather than from
// 10 s to 5 min: tests look at restarts.
const (
	firstBackoff = time.Second
	lastBackoff  = 16 * time.Second
)

// container is one container of a pod. It belongs to the pod's goroutine; only wake is called from others.
type container struct {
	spec    *corev1.Container
	policy  corev1.RestartPolicy
	pod     *corev1.Pod
	address string
	log     string
	wake    func()

	process  *process // nil: never started, or what it runs is not a process
	pretend  bool     // running without a process
	began    metav1.Time
	reason   string // why it waits
	message  string
	last     *corev1.ContainerStateTerminated
	before   *corev1.ContainerStateTerminated // the run before the last one
	restarts int32
	ready    bool
	probe    *probe
	killAt   time.Time // zero: it was not asked to stop
}

func (c *container) running() bool { return c.process != nil || c.pretend }

// over: it has run, and does not run now.
func (c *container) over() bool { return !c.running() && c.last != nil }

func (c *container) succeeded() bool { return c.over() && c.last.ExitCode == 0 }

// willRestart is asked of a container that is over.
func (c *container) willRestart() bool {
	switch c.policy {
	case corev1.RestartPolicyAlways:
		return true
	case corev1.RestartPolicyOnFailure:
		return c.last.ExitCode != 0
	default:
		return false
	}
}

// runIfDue starts the container if it never ran, or if it is to run again by now.
func (c *container) runIfDue() {
	if c.running() || (c.last == nil && c.reason == reasonUnsupported) {
		return
	}
	if c.over() && (!c.willRestart() || c.untilRestart() > 0) {
		return
	}
	if why := unsupported(c.spec); why != "" {
		c.reason, c.message = reasonUnsupported, why
		return
	}
	if c.last != nil {
		c.restarts++
		c.before = c.last
	}
	c.begin()
}

func (c *container) begin() {
	c.began, c.reason, c.message = metav1.Now(), "", ""
	c.ready = c.spec.ReadinessProbe == nil
	if len(c.spec.Command) == 0 {
		c.pretend = true
	} else if err := c.beginProcess(); err != nil {
		c.last = c.terminated(128, "StartError", err.Error()) // the code by which runtimes tell this
		return
	}
	c.probe = newProbe(c.spec, c.wake)
}

func (c *container) beginProcess() error {
	known, environment, err := environmentOf(c.pod, c.spec, c.address)
	if err != nil {
		return err
	}
	c.process, err = startProcess(argvOf(c.spec, known), environment, c.spec.WorkingDir, c.log, c.wake)
	return err
}

// observe takes notice of what happened by itself: an exit, a probe's answer, a grace period's end.
func (c *container) observe() {
	if c.probe != nil {
		c.ready = c.probe.good()
	} else if c.spec.ReadinessProbe == nil {
		c.ready = c.running()
	}
	if c.process != nil && !c.killAt.IsZero() && time.Now().After(c.killAt) {
		c.process.kill()
		c.killAt = time.Now().Add(time.Second) // it is reaped well before
	}
	if c.process == nil {
		return
	}
	if code, exited := c.process.exit(); exited {
		c.process = nil
		c.end(code)
	}
}

func (c *container) end(code int32) {
	reason := "Completed"
	if code != 0 {
		reason = "Error"
	}
	c.last, c.ready, c.pretend = c.terminated(code, reason, ""), false, false
	if c.probe != nil {
		c.probe.stop()
		c.probe = nil
	}
}

// stop asks the container to end, and sees to it that it has when the grace is over.
func (c *container) stop(grace time.Duration) {
	c.killAt = time.Now().Add(grace)
	if c.pretend {
		c.end(0)
	} else if c.process != nil {
		c.process.terminate()
	}
}

// kill ends it at once and waits for that.
func (c *container) kill() {
	if c.probe != nil {
		c.probe.stop()
	}
	if c.process != nil {
		c.process.kill()
		<-c.process.done
	}
}

func (c *container) untilRestart() time.Duration {
	backoff := min(firstBackoff<<min(c.restarts, 10), lastBackoff)
	return time.Until(c.last.FinishedAt.Add(backoff))
}

func (c *container) untilNext() time.Duration {
	switch {
	case c.process != nil && !c.killAt.IsZero():
		return time.Until(c.killAt) + time.Millisecond
	case c.over() && c.willRestart() && c.killAt.IsZero():
		return c.untilRestart() + time.Millisecond
	default:
		return time.Hour
	}
}

func (c *container) terminated(code int32, reason, message string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message,
		StartedAt: c.began, FinishedAt: metav1.Now(), ContainerID: c.id()}
}

func (c *container) id() string {
	return fmt.Sprintf("processes://%s-%s-%d", c.pod.UID, c.spec.Name, c.restarts)
}

func (c *container) status() corev1.ContainerStatus {
	started := c.running()
	s := corev1.ContainerStatus{Name: c.spec.Name, Image: c.spec.Image, ImageID: c.spec.Image,
		RestartCount: c.restarts, Ready: c.ready, Started: &started}
	switch {
	case c.running():
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: c.began}
		s.LastTerminationState.Terminated = c.before
	case c.over() && c.willRestart() && c.killAt.IsZero():
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}
		s.LastTerminationState.Terminated = c.last
	case c.over():
		s.State.Terminated = c.last
		s.LastTerminationState.Terminated = c.before
	default:
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: c.reason, Message: c.message}
	}
	if c.last != nil || c.running() {
		s.ContainerID = c.id()
	}
	return s
}
