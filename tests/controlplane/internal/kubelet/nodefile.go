package kubelet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/component-base/version"
)

// readNodes reads the Node objects of a file: what a node says of itself, labels, taints, capacity, nodeInfo. What
// the API server would strip or refuse is left to it.
func readNodes(file string) ([]*corev1.Node, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var nodes []*corev1.Node
	for decoder := yaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		node := &corev1.Node{}
		if err := decoder.Decode(node); errors.Is(err, io.EOF) {
			return nodes, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if node.Kind != "Node" || node.Name == "" {
			return nil, fmt.Errorf("%s: a Node with a name is wanted, not kind %q, name %q", file, node.Kind, node.Name)
		}
		nodes = append(nodes, node)
	}
}

// defaults are what every node has unless it says otherwise.
var (
	defaultCapacity = map[corev1.ResourceName]string{"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti"}
	defaultLabels   = map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": runtime.GOARCH}
)

// complete fills in what the object leaves open; what it says stays.
func complete(node *corev1.Node) {
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	fill(node.Labels, "kubernetes.io/hostname", node.Name)
	for key, value := range defaultLabels {
		fill(node.Labels, key, value)
	}
	status := &node.Status
	if status.Capacity == nil {
		status.Capacity = corev1.ResourceList{}
	}
	for name, amount := range defaultCapacity {
		fill(status.Capacity, name, resource.MustParse(amount))
	}
	if status.Allocatable == nil {
		status.Allocatable = corev1.ResourceList{}
	}
	for name, amount := range status.Capacity {
		fill(status.Allocatable, name, amount)
	}
	if len(status.Addresses) == 0 {
		status.Addresses = []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}, {Type: corev1.NodeHostName, Address: node.Name}}
	}
	completeInfo(&status.NodeInfo, node.Name)
}

func completeInfo(info *corev1.NodeSystemInfo, name string) {
	for _, field := range []struct {
		at    *string
		value string
	}{
		{&info.MachineID, name}, {&info.SystemUUID, name}, {&info.BootID, name},
		{&info.KernelVersion, "6.1.0"}, {&info.OSImage, "Debian GNU/Linux 12 (bookworm)"},
		{&info.ContainerRuntimeVersion, "processes://1.0.0"}, {&info.KubeletVersion, version.Get().GitVersion},
		{&info.OperatingSystem, "linux"}, {&info.Architecture, runtime.GOARCH},
	} {
		if *field.at == "" {
			*field.at = field.value
		}
	}
}

func fill[K comparable, V any](m map[K]V, key K, value V) {
	if _, said := m[key]; !said {
		m[key] = value
	}
}
