package main

import (
	"context"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kubeletsysctl "k8s.io/kubernetes/pkg/kubelet/sysctl"
	kjson "sigs.k8s.io/json"
)

func itoa(i int) string { return strconv.Itoa(i) }

// What Kubernetes counts as safe is what its kubelet's newest allowlist has.
func safeSysctls() []string { return kubeletsysctl.SafeSysctlAllowlist(context.Background()) }

func selects(selector any, object any) bool {
	var s metav1.LabelSelector
	if err := kjson.UnmarshalCaseSensitivePreserveInts(mustMarshal(selector), &s); err != nil {
		panic(err)
	}
	made, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		panic(err)
	}
	set := labels.Set{}
	for key, v := range mapOf(object, "metadata", "labels") {
		set[key] = textOf(v)
	}
	return made.Matches(set)
}

// requester: any of those named asks.
func requester(who any, w *world) truth {
	user := get(w.request, "userInfo")
	name := text(user, "username")
	result := truthOf(fitsAny(words(get(who, "users")), name))
	for _, group := range list(user, "groups") {
		result = or(result, truthOf(fitsAny(words(get(who, "groups")), textOf(group))))
	}
	for _, account := range words(get(who, "serviceAccounts")) {
		const prefix = "system:serviceaccount:"
		result = or(result, truthOf(fits(account, name)))
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			result = or(result, truthOf(fits(account, slashed(name[len(prefix):]))))
		}
	}
	if flag(who, "onOwnNode") {
		result = or(result, w.onOwnNode(user))
	}
	return result
}

func slashed(account string) string {
	for i := range account {
		if account[i] == ':' {
			return account[:i] + "/" + account[i+1:]
		}
	}
	return account
}

// onOwnNode: the node itself, or an account whose token is bound to the node that the request is about. Whoever is
// neither of any node is not of this one, whichever it is.
func (w *world) onOwnNode(user any) truth {
	var own []string
	if name, found := strings.CutPrefix(text(user, "username"), "system:node:"); found && contains(words(get(user, "groups")), "system:nodes") {
		own = append(own, name)
	}
	if strings.HasPrefix(text(user, "username"), "system:serviceaccount:") {
		own = append(own, words(get(user, "extra", "authentication.kubernetes.io/node-name"))...)
	}
	switch {
	case len(own) == 0:
		return no
	case w.podUnknown:
		return unknown
	case isNodes(w.request):
		return truthOf(contains(own, text(w.object, "metadata", "name")))
	case w.asked != nil:
		return truthOf(contains(own, text(w.asked, "spec", "nodeName")))
	case isPods(w.request):
		return truthOf(contains(own, text(w.object, "spec", "nodeName")))
	}
	return no // a workload is about no node
}
