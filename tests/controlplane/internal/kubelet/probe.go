package kubelet

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probe asks a container over HTTP whether it is ready, at once and then every period. It goes to the machine's
// loopback address, where the container's process listens, not to the pod's, which leads nowhere.
type probe struct {
	answer atomic.Bool
	stop   context.CancelFunc
}

// newProbe returns nil for a container that has no readiness probe. changed is called when the answer is another.
func newProbe(c *corev1.Container, changed func()) *probe {
	if c.ReadinessProbe == nil {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &probe{stop: stop}
	go p.run(ctx, c, changed)
	return p
}

func (p *probe) good() bool { return p.answer.Load() }

func (p *probe) run(ctx context.Context, c *corev1.Container, changed func()) {
	r := c.ReadinessProbe
	period := seconds(r.PeriodSeconds, 10)
	client := &http.Client{Timeout: seconds(r.TimeoutSeconds, 1), CheckRedirect: keepRedirect,
		// As a real kubelet: whoever answers, answers for the container.
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	failures := int32(0)
	for wait(ctx, seconds(r.InitialDelaySeconds, 0)); ctx.Err() == nil; wait(ctx, period) {
		good := ask(ctx, client, c, r.HTTPGet)
		if failures++; good {
			failures = 0
		}
		answer := good || (p.answer.Load() && failures < max(r.FailureThreshold, 1))
		if p.answer.Swap(answer) != answer {
			changed()
		}
	}
}

func ask(ctx context.Context, client *http.Client, c *corev1.Container, get *corev1.HTTPGetAction) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, probeURL(c, get), nil)
	if err != nil {
		return false
	}
	for _, h := range get.HTTPHeaders {
		request.Header.Add(h.Name, h.Value)
	}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode >= 200 && answer.StatusCode < 400
}

func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func probeURL(c *corev1.Container, get *corev1.HTTPGetAction) string {
	port, host := get.Port.IntVal, get.Host
	if get.Port.Type == intstr.String {
		for _, named := range c.Ports {
			if named.Name == get.Port.StrVal {
				port = named.ContainerPort
			}
		}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	scheme := strings.ToLower(string(get.Scheme))
	if scheme == "" {
		scheme = "http"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(port)) + "/" + strings.TrimPrefix(get.Path, "/")
}

func seconds(n int32, otherwise int32) time.Duration {
	if n == 0 {
		n = otherwise
	}
	return time.Duration(n) * time.Second
}
