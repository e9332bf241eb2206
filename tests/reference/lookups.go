package main

// What rules ask beyond the request and the inventory. What is not looked up is not known.

// podAskedOf: the pod that an exec or the like is about; its uid is compared where the request has one.
func (w *world) podAskedOf() any {
	if w.c.Found == nil {
		return nil
	}
	for _, pod := range w.c.Found.Pods {
		if text(pod, "metadata", "namespace") == w.ns() && text(pod, "metadata", "name") == text(w.request, "name") {
			wanted, has := text(w.object, "metadata", "uid"), text(pod, "metadata", "uid")
			if wanted != "" && has != "" && wanted != has {
				return nil
			}
			return pod
		}
	}
	return nil
}

// nodeNamed: of the inventory, or else read once.
func (w *world) nodeNamed(name string) any {
	nodes := w.c.Nodes
	if w.c.Found != nil {
		nodes = append(append([]any{}, nodes...), w.c.Found.Nodes...)
	}
	for _, n := range nodes {
		if text(n, "metadata", "name") == name {
			return n
		}
	}
	return nil
}

// ownedAbove: whether an owner of what the references name, or one further up, is of one of these kinds. An owner that
// is gone has none.
func (w *world) ownedAbove(references []any, kinds []string) truth {
	result := no
	for _, r := range references {
		if contains(kinds, text(r, "kind")) {
			return yes
		}
		if w.c.Found == nil {
			result = or(result, unknown)
			continue
		}
		for _, owner := range w.c.Found.Owners {
			if text(owner, "kind") == text(r, "kind") && text(owner, "metadata", "name") == text(r, "name") &&
				text(owner, "metadata", "namespace") == w.ns() && text(owner, "metadata", "uid") == text(r, "uid") {
				result = or(result, w.ownedAbove(list(owner, "metadata", "ownerReferences"), kinds))
			}
		}
	}
	return result
}
