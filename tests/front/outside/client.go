// Package outside holds tests of the front from outside, by a client that is like the API server's: Go's own
// http.Transport over HTTP/1.1, 25 idle connections a host, kept for 90 s. What such a client makes of a connection that is
// closed under it is what a user of the cluster sees, and nothing but the client itself can tell it.
package outside

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// An apiServer posts reviews as the API server does. It dials the address that address() names then, as a service's
// endpoint is chosen when a connection is made, and never again for that connection.
type apiServer struct {
	http.Client
	closedFirst *atomic.Int64 // connections that the server closed before the client did
}

// The API server's own time for idle connections.
const realIdle = 90 * time.Second

func newAPIServer(certs string, idle time.Duration, address func() string) (*apiServer, error) {
	pem, err := os.ReadFile(filepath.Join(certs, "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s/ca.crt: no certificate", certs)
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	closedFirst := new(atomic.Int64)
	config := &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	transport := &http.Transport{
		DialTLSContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address())
			if err != nil {
				return nil, err
			}
			secured := tls.Client(conn, config)
			handshake, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			if err := secured.HandshakeContext(handshake); err != nil {
				conn.Close()
				return nil, err
			}
			return &watched{Conn: secured, closedFirst: closedFirst}, nil
		},
		MaxIdleConnsPerHost: 25,
		IdleConnTimeout:     idle,
	}
	client := http.Client{Transport: transport, Timeout: 30 * time.Second}
	return &apiServer{client, closedFirst}, nil
}

// A watched connection counts its end where it is the other side's doing.
type watched struct {
	net.Conn
	closing     atomic.Bool
	closedFirst *atomic.Int64
}

func (w *watched) Close() error {
	w.closing.Store(true)
	return w.Conn.Close()
}

func (w *watched) Read(into []byte) (int, error) {
	n, err := w.Conn.Read(into)
	if err != nil && !w.closing.Load() {
		w.closedFirst.Add(1)
	}
	return n, err
}

// The size of the review of an ordinary pod.
var review = bytes.Repeat([]byte("r"), 8<<10)

// post sends one review; an error is what the API server would call a failed call.
func (a *apiServer) post(path string) (status int, retryAfter string, err error) {
	request, err := http.NewRequest(http.MethodPost, "https://driftbar.driftbar.svc"+path+"?timeout=10s", bytes.NewReader(review))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := a.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	if _, err := io.ReadAll(answer.Body); err != nil {
		return 0, "", err
	}
	return answer.StatusCode, answer.Header.Get("Retry-After"), nil
}
