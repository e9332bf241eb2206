// Package schemas reads what fields the built-in kinds have from a running API server, and writes them down as
// webhook/schema/kubernetes.txt, by which the loader of policies checks paths. scripts/schemas.sh is the way in; the
// test of this package holds the committed file to the control plane.
//
// The source is /openapi/v3, which has types, keys of lists and the words of enumerations. What it does not have
// (the objects of connect requests, and the request itself) is read off the Go types of the same release.
package schemas

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kinds that a rule may be about, by the path of their API. Left out are kinds that API servers keep from webhooks,
// those of which several versions are served, and those that nobody writes rules on. What a subresource takes is of
// another group than its path.
var kinds = map[string][]string{
	"api/v1": {"Binding", "ConfigMap", "LimitRange", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim",
		"Pod", "PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount",
		"policy/v1 Eviction", "autoscaling/v1 Scale"},
	"apis/apps/v1":                      {"ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"},
	"apis/batch/v1":                     {"CronJob", "Job"},
	"apis/coordination.k8s.io/v1":       {"Lease"},
	"apis/networking.k8s.io/v1":         {"Ingress", "NetworkPolicy"},
	"apis/node.k8s.io/v1":               {"RuntimeClass"},
	"apis/policy/v1":                    {"PodDisruptionBudget"},
	"apis/rbac.authorization.k8s.io/v1": {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
	"apis/scheduling.k8s.io/v1":         {"PriorityClass"},
	"apis/storage.k8s.io/v1":            {"StorageClass"},
}

// The objects of connect requests, which are no part of the OpenAPI.
var options = []any{corev1.NodeProxyOptions{}, corev1.PodAttachOptions{}, corev1.PodExecOptions{},
	corev1.PodPortForwardOptions{}, corev1.PodProxyOptions{}, corev1.ServiceProxyOptions{}}

type openAPI struct {
	Components struct{ Schemas map[string]schema }
	Paths      map[string]struct{ Get, Post, Put operation }
}

type operation struct {
	Action string `json:"x-kubernetes-action"`
	GVK    gvk    `json:"x-kubernetes-group-version-kind"`
}

type schema struct {
	Ref                  string `json:"$ref"`
	AllOf                []schema
	Type, Format         string
	Enum                 []string
	Items                *schema
	AdditionalProperties *schema
	Properties           map[string]schema
	MapKeys              []string `json:"x-kubernetes-list-map-keys"`
	MergeKey             string   `json:"x-kubernetes-patch-merge-key"`
	GVK                  []gvk    `json:"x-kubernetes-group-version-kind"`
}

type gvk struct{ Group, Version, Kind string }

// Text asks an API server for everything, by a function that gets a path of it, and gives the lines of the file
// without its first comment: versions, kinds, resources, then types with their fields.
func Text(get func(path string, into any) error) ([]string, error) {
	r := reader{kinds: map[gvk]string{}, types: map[string][]string{}}
	for _, object := range options {
		t := reflect.TypeOf(object)
		r.kinds[gvk{"", "v1", t.Name()}] = r.goShape(t)
	}
	r.kinds[gvk{"admission.k8s.io", "v1", "AdmissionRequest"}] = r.goShape(reflect.TypeOf(admissionv1.AdmissionRequest{}))
	var version struct{ GitVersion string }
	if err := get("/version", &version); err != nil {
		return nil, err
	}
	// In order, for the core group has kinds that are subresources of others.
	for _, path := range slices.Sorted(maps.Keys(kinds)) {
		var api openAPI
		if err := get("/openapi/v3/"+path, &api); err != nil {
			return nil, err
		}
		if err := r.read(api.Components.Schemas, path, kinds[path]); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r.readPaths(api, "/"+path+"/")
	}
	return append([]string{"version " + strings.TrimPrefix(version.GitVersion, "v")}, r.lines()...), nil
}

type reader struct {
	kinds     map[gvk]string // the type of each
	resources []string
	types     map[string][]string // a line for each field
}

func (r *reader) lines() (lines []string) {
	for kind, of := range r.kinds {
		lines = append(lines, "kind "+cmp.Or(kind.Group, "-")+" "+kind.Kind+" "+of)
	}
	sort.Strings(lines)
	sort.Strings(r.resources)
	lines = append(lines, slices.Compact(r.resources)...)
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		lines = append(append(lines, name+":"), r.types[name]...)
	}
	return lines
}

func (r *reader) read(schemas map[string]schema, path string, names []string) error {
	for _, name := range names {
		groupVersion := strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")
		if other, kind, found := strings.Cut(name, " "); found {
			groupVersion, name = other, kind
		}
		group, version, found := strings.Cut(groupVersion, "/")
		if !found {
			group, version = "", groupVersion
		}
		shape, err := r.reference(schemas, typeOf(schemas, gvk{group, version, name}))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.kinds[gvk{group, version, name}] = shape
	}
	return nil
}

// readPaths notes which kind a request to a resource or subresource carries.
func (r *reader) readPaths(api openAPI, prefix string) {
	group, _, _ := strings.Cut(strings.TrimPrefix(prefix, "/apis/"), "/")
	if prefix == "/api/v1/" {
		group = "-"
	}
	for path, operations := range api.Paths {
		rest, found := strings.CutPrefix(path, prefix)
		rest = strings.TrimPrefix(rest, "namespaces/{namespace}/")
		parts := strings.Split(rest, "/")
		if !found || rest == "" || parts[0] == "watch" || len(parts) > 3 {
			continue
		}
		name := parts[0]
		if len(parts) == 3 {
			name += "/" + parts[2]
		}
		for _, of := range []operation{operations.Get, operations.Post, operations.Put} {
			kind, there := r.kinds[of.GVK]
			if read := of.Action == "get"; there && !read {
				r.resources = append(r.resources, "resource "+group+" "+name+" "+kind)
			}
		}
	}
}

// typeOf is empty where there is no such kind.
func typeOf(schemas map[string]schema, kind gvk) string {
	for name, s := range schemas {
		if slices.Contains(s.GVK, kind) {
			return name
		}
	}
	return ""
}

// shape is how the type of a value is written; types that it names are added.
func (r *reader) shape(schemas map[string]schema, s schema) (string, error) {
	if len(s.AllOf) == 1 {
		s.Ref = s.AllOf[0].Ref
	}
	if s.Ref != "" {
		return r.reference(schemas, s.Ref[strings.LastIndex(s.Ref, "/")+1:])
	}
	switch {
	case s.Format == "int-or-string":
		return "int-or-string", nil
	case s.Format == "date-time":
		return "time", nil
	case s.Type == "string" && len(s.Enum) > 0:
		slices.Sort(s.Enum)
		return "text(" + strings.Join(s.Enum, "|") + ")", nil
	case s.Type == "string":
		return "text", nil
	case s.Type == "integer", s.Type == "number", s.Type == "boolean":
		return s.Type, nil
	case s.Type == "array":
		items, err := r.shape(schemas, *s.Items)
		return listOf(items, s), err
	case s.Type == "object" && s.AdditionalProperties != nil:
		values, err := r.shape(schemas, *s.AdditionalProperties)
		return "{" + values + "}", err
	case s.Type == "object" && len(s.Properties) == 0, s.Type == "":
		return "any", nil
	}
	return "", fmt.Errorf("a type that is not known here: %+v", s)
}

func listOf(items string, s schema) string {
	keys := s.MapKeys
	if len(keys) == 0 && s.MergeKey != "" {
		keys = []string{s.MergeKey}
	}
	if len(keys) == 0 {
		return "[" + items + "]"
	}
	return "[" + items + ";" + strings.Join(keys, ",") + "]"
}

func (r *reader) reference(schemas map[string]schema, full string) (string, error) {
	s, found := schemas[full]
	if !found {
		return "", fmt.Errorf("no type %q", full)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(full, "io.k8s.api."), "io.k8s.apimachinery.pkg.apis.")
	if name == "io.k8s.apimachinery.pkg.api.resource.Quantity" {
		return "quantity", nil
	}
	if len(s.Properties) == 0 {
		return r.shape(schemas, s)
	}
	if _, there := r.types[name]; there {
		return name, nil
	}
	r.types[name] = nil
	var lines []string
	for field, of := range s.Properties {
		shape, err := r.shape(schemas, of)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", name, field, err)
		}
		lines = append(lines, field+" "+shape)
	}
	sort.Strings(lines)
	r.types[name] = lines
	return name, nil
}

// goShape is shape of a Go type, by its JSON tags.
func (r *reader) goShape(t reflect.Type) string {
	switch {
	case t == reflect.TypeOf(runtime.RawExtension{}):
		return "any"
	case t == reflect.TypeOf(metav1.Time{}):
		return "time"
	case t == reflect.TypeOf(admissionv1.Create):
		return "text(CONNECT|CREATE|DELETE|UPDATE)"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "boolean"
	case reflect.Int32, reflect.Int64:
		return "integer"
	case reflect.Pointer:
		return r.goShape(t.Elem())
	case reflect.Slice:
		return "[" + r.goShape(t.Elem()) + "]"
	case reflect.Map:
		return "{" + r.goShape(t.Elem()) + "}"
	case reflect.Struct:
		parts := strings.Split(t.PkgPath(), "/")
		name := strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
		if _, there := r.types[name]; !there {
			r.types[name] = nil
			lines := r.goFields(t)
			sort.Strings(lines)
			r.types[name] = lines
		}
		return name
	}
	panic("a Go type that is not known here: " + t.String())
}

func (r *reader) goFields(t reflect.Type) (lines []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			lines = append(lines, r.goFields(field.Type)...)
			continue
		}
		lines = append(lines, name+" "+r.goShape(field.Type))
	}
	return lines
}
