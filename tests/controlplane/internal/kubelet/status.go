package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// status is what the pod is to the API now.
func (p *pod) status() corev1.PodStatus {
	s := corev1.PodStatus{
		Phase: p.phase(), HostIP: "127.0.0.1", HostIPs: []corev1.HostIP{{IP: "127.0.0.1"}},
		PodIP: p.address, PodIPs: []corev1.PodIP{{IP: p.address}}, StartTime: &p.started,
	}
	for _, c := range p.inits {
		s.InitContainerStatuses = append(s.InitContainerStatuses, c.status())
	}
	for _, c := range p.containers {
		s.ContainerStatuses = append(s.ContainerStatuses, c.status())
	}
	ready := p.ready(s.Phase)
	s.Conditions = []corev1.PodCondition{
		p.condition(corev1.PodInitialized, p.allInitsSucceeded(), "ContainersNotInitialized"),
		p.condition(corev1.ContainersReady, ready, "ContainersNotReady"),
		p.condition(corev1.PodReady, ready, "ContainersNotReady"),
	}
	return s
}

// phase follows the rules of the pod lifecycle: what runs, or will run again, is not over.
func (p *pod) phase() corev1.PodPhase {
	if finished(p.object) {
		return p.object.Status.Phase
	}
	if p.hopeless {
		return corev1.PodFailed
	}
	if !p.allInitsSucceeded() {
		return corev1.PodPending
	}
	return phaseOf(p.containers, p.terminating)
}

func phaseOf(containers []*container, terminating bool) corev1.PodPhase {
	begun, failed := false, false
	for _, c := range containers {
		if c.running() || (c.over() && c.willRestart() && !terminating) {
			return corev1.PodRunning
		}
		begun = begun || c.over()
		failed = failed || (c.over() && !c.succeeded())
	}
	for _, c := range containers {
		if !c.over() && !terminating {
			return corev1.PodPending
		}
	}
	switch {
	case failed:
		return corev1.PodFailed
	case begun:
		return corev1.PodSucceeded
	default:
		return corev1.PodPending
	}
}

func (p *pod) ready(phase corev1.PodPhase) bool {
	if phase != corev1.PodRunning {
		return false
	}
	for _, c := range p.containers {
		if !c.ready {
			return false
		}
	}
	return true
}

func (p *pod) allInitsSucceeded() bool {
	for _, c := range p.inits {
		if !c.succeeded() {
			return false
		}
	}
	return true
}

// condition keeps the time of the last change, as long as nothing changes.
func (p *pod) condition(kind corev1.PodConditionType, holds bool, otherwise string) corev1.PodCondition {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}
	if !holds {
		c.Status, c.Reason = corev1.ConditionFalse, otherwise
	}
	for _, old := range p.reported.Conditions {
		if old.Type == kind && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
	}
	return c
}
