package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Deadline is for everything that is waited for. It is met in a second or two; the rest is for a machine that
// has two cores and five other things to do. pause is between two looks.
const (
	Deadline = 2 * time.Minute
	pause    = 50 * time.Millisecond
)

// Eventually waits until check returns nil. The error of its last try is shown if it never does.
func Eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	var last error
	for start := time.Now(); time.Since(start) < Deadline; time.Sleep(pause) {
		if last = check(); last == nil {
			return
		}
	}
	t.Fatalf("not in %v: %s: %v", Deadline, what, last)
}

// Wait is `kubectl wait --for=CONDITION RESOURCE`, such as `condition=Complete`, `job/train`, or
// `jsonpath={.status.phase}=Running`, `pod/a`; the resource need not exist yet. namespace "" is for nodes and the like.
func (c *Cluster) Wait(t testing.TB, namespace, resource, condition string) {
	t.Helper()
	var last Output
	Eventually(t, resource+" has "+condition, func() error {
		last = c.Kubectl(t, inNamespace(namespace, "wait", "--for="+condition, "--timeout=5s", resource)...)
		return last.failure()
	})
}

// WaitForEvent waits for an event about an object whose name begins with name, with text in its message, and
// returns the message.
func (c *Cluster) WaitForEvent(t testing.TB, namespace, name, text string) string {
	t.Helper()
	message := ""
	Eventually(t, fmt.Sprintf("event about %s says %q", name, text), func() (err error) {
		message, err = c.findEvent(namespace, name, text)
		return err
	})
	return message
}

func (c *Cluster) findEvent(namespace, name, text string) (string, error) {
	var events struct {
		Items []struct {
			Message        string
			InvolvedObject struct{ Name string }
		}
	}
	if err := c.Get("/api/v1/namespaces/"+namespace+"/events", &events); err != nil {
		return "", err
	}
	var seen []string
	for _, e := range events.Items {
		if strings.HasPrefix(e.InvolvedObject.Name, name) && strings.Contains(e.Message, text) {
			return e.Message, nil
		}
		seen = append(seen, e.InvolvedObject.Name+": "+e.Message)
	}
	return "", fmt.Errorf("events so far:\n%s", strings.Join(seen, "\n"))
}
