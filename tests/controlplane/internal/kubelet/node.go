package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// heartbeat is a real kubelet's: a quarter of the lease it takes, a fifth of the 50 s after which the node lifecycle
// controller calls a silent node unknown.
const (
	heartbeat    = 10 * time.Second
	leaseSeconds = int32(40)
	retryAfter   = 500 * time.Millisecond
)

// node is one Node object and the pods bound to it.
type node struct {
	object *corev1.Node
	client kubernetes.Interface
	dir    string

	mutex   sync.Mutex
	pods    map[types.UID]*pod
	running sync.WaitGroup
	count   atomic.Uint32 // of addresses given to pods
}

func newNode(object *corev1.Node, client kubernetes.Interface, dir string) *node {
	complete(object)
	return &node{object: object, client: client, dir: dir, pods: map[types.UID]*pod{}}
}

// run keeps the node until ctx ends; ready is called once, when the API server knows that the node is ready.
// All processes of its pods have ended when it returns. The API objects stay, as when a machine loses power.
func (n *node) run(ctx context.Context, ready func()) {
	n.insist(ctx, "register", n.register)
	n.insist(ctx, "take the lease", n.beat)
	n.insist(ctx, "report ready", n.reportReady)
	if ctx.Err() == nil {
		fmt.Println("REGISTERED", n.object.Name)
		ready()
		n.running.Go(func() { n.watchPods(ctx) })
		n.keepBeating(ctx)
	}
	n.running.Wait()
}

// insist repeats a step until it succeeds or ctx ends.
func (n *node) insist(ctx context.Context, what string, step func(context.Context) error) {
	for ctx.Err() == nil {
		err := step(ctx)
		if err == nil {
			return
		}
		logf(n.object.Name, "%s: %v", what, err)
		wait(ctx, retryAfter)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// register creates the Node. Of one that is there already, labels and taints stay as somebody made them; the status
// is the kubelet's to say.
func (n *node) register(ctx context.Context) error {
	object := n.object.DeepCopy()
	object.Status.Conditions = append(object.Status.Conditions, missingConditions(object.Status.Conditions)...)
	_, err := n.client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	patch, err := json.Marshal(map[string]any{"status": object.Status})
	if err != nil {
		return err
	}
	_, err = n.client.CoreV1().Nodes().PatchStatus(ctx, n.object.Name, patch)
	return err
}

func (n *node) keepBeating(ctx context.Context) {
	for wait(ctx, heartbeat); ctx.Err() == nil; wait(ctx, heartbeat) {
		for what, step := range map[string]func(context.Context) error{"renew the lease": n.beat, "report ready": n.reportReady} {
			if err := step(ctx); err != nil && ctx.Err() == nil {
				logf(n.object.Name, "%s: %v", what, err)
			}
		}
	}
}

// beat takes the lease, or renews it.
func (n *node) beat(ctx context.Context) error {
	leases := n.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	now, name := metav1.NowMicro(), n.object.Name
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		seconds := leaseSeconds
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: corev1.NamespaceNodeLease},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: &seconds, RenewTime: &now}}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// reportReady sets the Ready condition and no other field: conditions are merged by type, so those that somebody
// else has set stay.
func (n *node) reportReady(ctx context.Context) error {
	current, err := n.client.CoreV1().Nodes().Get(ctx, n.object.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ready := condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
	for _, old := range current.Status.Conditions {
		if old.Type == ready.Type && old.Status == ready.Status {
			ready.LastTransitionTime = old.LastTransitionTime
		}
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{ready}}})
	if err != nil {
		return err
	}
	_, err = n.client.CoreV1().Nodes().PatchStatus(ctx, n.object.Name, patch)
	return err
}

// missingConditions are those that a healthy kubelet reports and the object does not speak of.
func missingConditions(said []corev1.NodeCondition) []corev1.NodeCondition {
	known := map[corev1.NodeConditionType]bool{}
	for _, c := range said {
		known[c.Type] = true
	}
	var missing []corev1.NodeCondition
	for _, c := range []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
	} {
		if !known[c.Type] {
			missing = append(missing, c)
		}
	}
	return missing
}

func condition(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
	now := metav1.Now()
	return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: message,
		LastHeartbeatTime: now, LastTransitionTime: now}
}

// watchPods follows the pods bound to the node until ctx ends.
func (n *node) watchPods(ctx context.Context) {
	source := cache.NewListWatchFromClient(n.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll,
		fields.OneTermEqualSelector("spec.nodeName", n.object.Name))
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { n.see(ctx, object.(*corev1.Pod)) },
		UpdateFunc: func(_, object any) { n.see(ctx, object.(*corev1.Pod)) },
		DeleteFunc: n.lose,
	})
	if err != nil {
		logf(n.object.Name, "watch pods: %v", err)
		return
	}
	informer.RunWithContext(ctx)
}

// see hands the newest state of a pod to whoever runs it.
func (n *node) see(ctx context.Context, object *corev1.Pod) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	p := n.pods[object.UID]
	if p == nil {
		p = newPod(n, object.DeepCopy())
		n.pods[object.UID] = p
		n.running.Go(func() { p.run(ctx) })
		return
	}
	p.inform(object.DeepCopy())
}

// lose ends a pod whose object is gone without our doing: a forced deletion.
func (n *node) lose(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	gone, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if p := n.pods[gone.UID]; p != nil {
		close(p.gone)
		delete(n.pods, gone.UID)
	}
}

// podAddress is unique among the pods of the control plane, as far as 16 bit of a hash go. Loopback would not do:
// the API server refuses it in endpoints.
func (n *node) podAddress() string {
	hash := fnv.New32a()
	hash.Write([]byte(n.object.Name))
	h, count := hash.Sum32(), n.count.Add(1)
	return fmt.Sprintf("10.%d.%d.%d", 64+h%64, h>>8%256, 1+count%250)
}
