package up

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"driftbar.io/tests/controlplane/internal/state"
)

const pause = 50 * time.Millisecond

func apiserverReady(ctx context.Context, p *plane) error {
	return p.askUntilGood(ctx, p.url()+"/readyz")
}

func managerReady(ctx context.Context, p *plane) error {
	if err := askSelfSigned(ctx, p.ports.manager); err != nil {
		return err
	}
	return p.askUntilGood(ctx, p.url()+"/api/v1/namespaces/default/serviceaccounts/default")
}

func schedulerReady(ctx context.Context, p *plane) error {
	return askSelfSigned(ctx, p.ports.scheduler)
}

// askUntilGood asks the API server as the administrator until it says 200.
func (p *plane) askUntilGood(ctx context.Context, url string) error {
	token, err := p.dir.Read(state.Token)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.ca.Cert)
	return poll(ctx, url, &tls.Config{RootCAs: roots}, "Bearer "+token)
}

// askSelfSigned asks a component that made its own certificate, on loopback, for nothing but its health.
func askSelfSigned(ctx context.Context, port int) error {
	return poll(ctx, fmt.Sprintf("https://127.0.0.1:%d/healthz", port), &tls.Config{InsecureSkipVerify: true}, "")
}

// poll asks until the answer is 200. When ctx ends first, it returns the cause.
func poll(ctx context.Context, url string, trust *tls.Config, authorization string) error {
	transport := &http.Transport{TLSClientConfig: trust}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if authorization != "" {
			request.Header.Set("Authorization", authorization)
		}
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
