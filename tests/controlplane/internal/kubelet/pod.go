package kubelet

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// pod runs one pod. A single goroutine (run) owns all of it but the channels.
type pod struct {
	node    *node
	object  *corev1.Pod // the newest that was seen
	address string
	started metav1.Time

	inits       []*container // run to their end, one after the other
	containers  []*container // then these, together
	terminating bool
	hopeless    bool // an init container failed for good

	newest chan *corev1.Pod // of size one: the newest wins
	gone   chan struct{}    // closed when the object is no more
	wake   chan struct{}    // of size one: something happened to a container

	reported corev1.PodStatus
}

func newPod(n *node, object *corev1.Pod) *pod {
	p := &pod{node: n, object: object, started: metav1.Now(), address: n.podAddress(),
		newest: make(chan *corev1.Pod, 1), gone: make(chan struct{}), wake: make(chan struct{}, 1)}
	if object.Spec.HostNetwork {
		p.address = "127.0.0.1"
	}
	for i := range object.Spec.InitContainers {
		p.inits = append(p.inits, p.newContainer(&object.Spec.InitContainers[i], corev1.RestartPolicyOnFailure))
	}
	for i := range object.Spec.Containers {
		p.containers = append(p.containers, p.newContainer(&object.Spec.Containers[i], object.Spec.RestartPolicy))
	}
	return p
}

func (p *pod) newContainer(spec *corev1.Container, policy corev1.RestartPolicy) *container {
	if p.object.Spec.RestartPolicy == corev1.RestartPolicyNever {
		policy = corev1.RestartPolicyNever
	}
	name := strings.Join([]string{p.object.Namespace, p.object.Name, string(p.object.UID)}, "_")
	return &container{spec: spec, policy: policy, pod: p.object, address: p.address, wake: p.poke,
		log: filepath.Join(p.node.dir, name, spec.Name+".log"), reason: "PodInitializing"}
}

// inform hands over a newer object; one that was not taken yet is replaced.
func (p *pod) inform(object *corev1.Pod) {
	select {
	case <-p.newest:
	default:
	}
	p.newest <- object
}

func (p *pod) poke() {
	select {
	case p.wake <- struct{}{}:
	default: // somebody did already
	}
}

// run lives as long as the pod does, or until ctx ends, when it kills what the pod runs and leaves the object.
func (p *pod) run(ctx context.Context) {
	defer p.killAll()
	for {
		p.advance()
		p.report(ctx)
		if p.terminating && p.ended() {
			p.remove(ctx)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-p.gone:
			return
		case p.object = <-p.newest:
		case <-p.wake:
		case <-time.After(p.untilNext()):
		}
	}
}

// advance takes every step that can be taken now.
func (p *pod) advance() {
	if p.object.DeletionTimestamp != nil && !p.terminating {
		p.terminating = true
		p.stopAll(graceOf(p.object))
	}
	for _, c := range p.all() {
		c.observe()
	}
	if p.terminating || finished(p.object) {
		return
	}
	if !p.initialized() {
		return
	}
	for _, c := range p.containers {
		c.runIfDue()
	}
}

// initialized runs the init containers as far as they can be run, and says whether all have succeeded.
func (p *pod) initialized() bool {
	for _, c := range p.inits {
		c.runIfDue()
		if !c.succeeded() {
			p.hopeless = c.over() && !c.willRestart()
			return false
		}
	}
	return true
}

func (p *pod) all() []*container { return append(append([]*container{}, p.inits...), p.containers...) }

// ended: no process is left.
func (p *pod) ended() bool {
	for _, c := range p.all() {
		if c.running() {
			return false
		}
	}
	return true
}

func (p *pod) stopAll(grace time.Duration) {
	for _, c := range p.all() {
		c.stop(grace)
	}
}

func (p *pod) killAll() {
	for _, c := range p.all() {
		c.kill()
	}
}

// untilNext is when the clock alone makes something happen: a restart, a probe, the end of a grace period.
func (p *pod) untilNext() time.Duration {
	next := time.Hour
	for _, c := range p.all() {
		next = min(next, c.untilNext())
	}
	return max(next, 0)
}

// report patches the status when it differs from the one last reported. An API server that does not take it now is
// asked again, for the pod's next steps are worth nothing if nobody learns of this one.
func (p *pod) report(ctx context.Context) {
	if finished(p.object) && p.reported.Phase == "" {
		return // it ended before this kubelet came up
	}
	status := p.status()
	if reflect.DeepEqual(status, p.reported) {
		return
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": p.object.UID}, "status": status})
	if err != nil {
		logf(p.node.object.Name, "status of %s: %v", p.object.Name, err)
		return
	}
	p.node.insist(ctx, "report "+p.object.Name, func(ctx context.Context) error {
		_, err := p.pods().Patch(ctx, p.object.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		if err == nil {
			p.reported = status
		}
		return unlessGone(err)
	})
}

// remove takes the object away, now that nothing of the pod is left.
func (p *pod) remove(ctx context.Context) {
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &p.object.UID}}
	p.node.insist(ctx, "remove "+p.object.Name, func(ctx context.Context) error {
		return unlessGone(p.pods().Delete(ctx, p.object.Name, now))
	})
}

// unlessGone: the pod may have been removed, or replaced by one of the same name, meanwhile.
func unlessGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// pods is the API of the pod's namespace.
func (p *pod) pods() typedcorev1.PodInterface { return p.node.client.CoreV1().Pods(p.object.Namespace) }

func finished(object *corev1.Pod) bool {
	return object.Status.Phase == corev1.PodSucceeded || object.Status.Phase == corev1.PodFailed
}

func graceOf(object *corev1.Pod) time.Duration {
	if object.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return time.Duration(*object.DeletionGracePeriodSeconds) * time.Second
}
