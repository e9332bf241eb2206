package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/securitycontext"
)

// Defaults gives the lines of webhook/schema/defaults.txt without its first comment: what the absence of a field means
// to Kubernetes, as TYPE FIELD VALUE, the value in JSON. `{}` of a map says that where it is absent its fields mean what
// they do in an empty one.
//
// It is found by trying: Kubernetes' own defaulting is applied to an object that has nothing but the way to the field,
// and to one that has everything but the field. Where the two differ, absence means something else by what stands beside
// it (an imagePullPolicy by the image), and there is no line; nor where it means one thing in one kind and another in
// another. A field that no default fills and that Kubernetes cannot tell from its zero value means that value; a pointer
// that stays empty means what `meant` says.
func Defaults() ([]string, error) {
	found := map[string]map[string]bool{} // values by field
	for path, names := range kinds {
		for _, name := range names {
			object, err := legacyscheme.Scheme.New(kindAt(path, name))
			if err != nil {
				return nil, err
			}
			try(reflect.TypeOf(object).Elem(), found)
		}
	}
	lines := map[string]string{}
	for field, values := range found {
		// What is filled in one kind alone comes of the others later: a CronJob's Jobs have the defaults of Jobs.
		delete(values, none)
		if value := slices.Collect(maps.Keys(values)); len(value) == 1 && value[0] != depends {
			lines[field] = value[0]
		}
	}
	for _, field := range elsewhere {
		delete(lines, field)
	}
	for _, row := range meant {
		if err := row.check(); err != nil {
			return nil, err
		}
		if found[row.name()][depends] {
			return nil, fmt.Errorf("%s: what its absence means depends on what stands beside it", row.name())
		}
		lines[row.name()] = row.value
	}
	var out []string
	for _, field := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, field+" "+lines[field])
	}
	return out, nil
}

// What is no value.
const (
	none    = "-"
	depends = "?" // on what stands beside the field
)

// What hangs on a word that stands beside it, which trying does not see, or is filled in when the object is made.
var elsewhere = []string{
	"core.v1.EnvVar value",                      // valueFrom
	"core.v1.ServiceSpec clusterIP",             // allocated
	"core.v1.ServiceSpec externalTrafficPolicy", // the type
	"core.v1.PodSpec serviceAccountName",        // the deprecated serviceAccount, which is the same
	"rbac.v1.Subject apiGroup",                  // the kind
}

func kindAt(path, name string) apischema.GroupVersionKind {
	groupVersion := strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")
	if other, kind, found := strings.Cut(name, " "); found {
		groupVersion, name = other, kind
	}
	of, err := apischema.ParseGroupVersion(groupVersion)
	if err != nil {
		panic(err)
	}
	return of.WithKind(name)
}

// ---- What no defaulting says, for nobody writes it into the object.

type meaning struct {
	of           any // the type that has the field
	field, value string
	said         string      // in the field's documentation
	holds        func() bool // where the documentation is silent: what the code does
}

var meant = []meaning{
	{of: corev1.PodSpec{}, field: "hostUsers", value: "true", said: "If set to true or not present"},
	{of: corev1.PodSpec{}, field: "setHostnameAsFQDN", value: "false", said: "Default to false"},
	{of: corev1.PodSpec{}, field: "shareProcessNamespace", value: "false", said: "Default to false"},
	{of: corev1.PodSecurityContext{}, field: "fsGroupChangePolicy", value: `"Always"`, said: `If not specified, "Always" is used`},
	{of: corev1.PodSecurityContext{}, field: "runAsNonRoot", value: "false", said: "If unset or false, no such validation will be performed"},
	{of: corev1.Toleration{}, field: "operator", value: `"Equal"`, said: "Defaults to Equal"},
	{of: corev1.TopologySpreadConstraint{}, field: "minDomains", value: "1", said: "If value is nil, the constraint behaves as if MinDomains is equal to 1"},
	{of: corev1.TopologySpreadConstraint{}, field: "nodeAffinityPolicy", value: `"Honor"`, said: "If this value is nil, the behavior is equivalent to the Honor policy"},
	{of: corev1.TopologySpreadConstraint{}, field: "nodeTaintsPolicy", value: `"Ignore"`, said: "If this value is nil, the behavior is equivalent to the Ignore policy"},
	{of: corev1.Container{}, field: "securityContext", value: "{}", holds: func() bool { return !securitycontext.AddNoNewPrivileges(nil) }},
	{of: corev1.EphemeralContainer{}, field: "securityContext", value: "{}", holds: func() bool { return !securitycontext.AddNoNewPrivileges(nil) }},
	{of: corev1.SecurityContext{}, field: "allowPrivilegeEscalation", value: "true", holds: func() bool { return !securitycontext.AddNoNewPrivileges(&corev1.SecurityContext{}) }},
	{of: corev1.SecurityContext{}, field: "privileged", value: "false", said: "Defaults to false"},
	{of: corev1.SecurityContext{}, field: "procMount", value: `"Default"`, said: "The default value is Default"},
	{of: corev1.SecurityContext{}, field: "readOnlyRootFilesystem", value: "false", said: "Default is false"},
}

func (m meaning) name() string { return nameOf(reflect.TypeOf(m.of)) + " " + m.field }

func (m meaning) check() error {
	if m.holds != nil {
		if !m.holds() {
			return fmt.Errorf("%s: absence means %s no more", m.name(), m.value)
		}
		return nil
	}
	of := m.of.(interface{ SwaggerDoc() map[string]string })
	if said := strings.Join(strings.Fields(of.SwaggerDoc()[m.field]), " "); !strings.Contains(said, m.said) {
		return fmt.Errorf("%s: %q does not stand in %q", m.name(), m.said, said)
	}
	return nil
}

// ---- Trying.

// A step goes into a field of a struct, past pointers, or into the first element of a list or map.
type way struct {
	field   int
	element bool
}

// What holds a single value, and what is not written by people.
var leaves = map[reflect.Type]bool{
	reflect.TypeFor[metav1.Time](): true, reflect.TypeFor[metav1.MicroTime](): true, reflect.TypeFor[resource.Quantity](): true,
	reflect.TypeFor[intstr.IntOrString](): true, reflect.TypeFor[runtime.RawExtension](): true, reflect.TypeFor[metav1.FieldsV1](): true,
	reflect.TypeFor[[]byte](): true,
}

// What the server alone writes, and what is taken apart by its own name in every object.
var apart = map[reflect.Type]bool{reflect.TypeFor[metav1.ObjectMeta](): true, reflect.TypeFor[metav1.TypeMeta](): true}

// Where these are absent nothing is told of their fields: a status that is not written yet, a template that must be there.
var wholes = []string{"status", "template"}

func try(kind reflect.Type, found map[string]map[string]bool) {
	fields(kind, nil, func(of reflect.Type, field reflect.StructField, name string, path []way) {
		key := nameOf(of) + " " + name
		if found[key] == nil {
			found[key] = map[string]bool{}
		}
		value := absent(kind, path, field, name, false)
		if value != absent(kind, path, field, name, true) {
			value = depends
		}
		found[key][value] = true
	})
}

// fields goes through all fields below a type, each by all ways that lead to it.
func fields(t reflect.Type, path []way, seen func(of reflect.Type, field reflect.StructField, name string, path []way)) {
	var on []reflect.Type
	var into func(t reflect.Type, path []way)
	var inside func(of, t reflect.Type, path []way)
	inside = func(of, t reflect.Type, path []way) {
		for i := range t.NumField() {
			field := t.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			to := append(slices.Clone(path), way{field: i})
			switch {
			case apart[field.Type] || name == "-":
			case name == "":
				inside(of, field.Type, to)
			default:
				seen(of, field, name, to)
				into(field.Type, to)
			}
		}
	}
	into = func(t reflect.Type, path []way) {
		if leaves[t] {
			return
		}
		switch t.Kind() {
		case reflect.Pointer:
			into(t.Elem(), path)
		case reflect.Slice:
			into(t.Elem(), append(slices.Clone(path), way{element: true}))
		case reflect.Struct:
			if slices.Contains(on, t) {
				return
			}
			on = append(on, t)
			inside(t, t, path)
			on = on[:len(on)-1]
		}
	}
	into(t, path)
}

// absent gives what a field is after defaulting where nobody wrote it, in JSON.
func absent(kind reflect.Type, path []way, field reflect.StructField, name string, full bool) string {
	object := reflect.New(kind)
	if full {
		fill(object.Elem(), 0)
	}
	parent, last := path[:len(path)-1], path[len(path)-1]
	reach(object.Elem(), parent, true).Field(last.field).SetZero()
	legacyscheme.Scheme.Default(object.Interface().(runtime.Object))
	holder := reach(object.Elem(), parent, false)
	if !holder.IsValid() {
		return none
	}
	value := holder.Field(last.field)
	_, tag, _ := strings.Cut(field.Tag.Get("json"), ",")
	optional := strings.Contains(tag, "omitempty") || strings.Contains(tag, "omitzero")
	return said(value, name, optional)
}

func said(value reflect.Value, name string, optional bool) string {
	t := value.Type()
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	switch {
	case pointer && value.IsNil():
		return none
	case t == reflect.TypeFor[intstr.IntOrString]() && (pointer || !value.IsZero()), isScalar(t) && (pointer || optional || !value.IsZero()):
		text, err := json.Marshal(value.Interface())
		if err != nil {
			panic(err)
		}
		return string(text)
	case t.Kind() == reflect.Struct && !leaves[t] && !slices.Contains(wholes, name):
		return "{}"
	}
	return none
}

func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return true
	}
	return false
}

// reach goes down a path; with `make`, what is missing on it is made, else the zero Value says that it is missing.
func reach(v reflect.Value, path []way, make bool) reflect.Value {
	deref := func() bool {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() && !make {
				return false
			}
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		return true
	}
	for _, s := range path {
		if !deref() {
			return reflect.Value{}
		}
		if !s.element {
			v = v.Field(s.field)
			continue
		}
		if v.Len() == 0 && !make {
			return reflect.Value{}
		}
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		v = v.Index(0)
	}
	if !deref() {
		return reflect.Value{}
	}
	return v
}

// fill writes something into every field.
func fill(v reflect.Value, depth int) {
	const deepest = 24
	if depth > deepest || apart[v.Type()] || leaves[v.Type()] {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	case reflect.String:
		v.SetString("x:latest") // of an image, too
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(1)
	}
}

// nameOf is a type as the other file has it: core.v1.Container.
func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
}
