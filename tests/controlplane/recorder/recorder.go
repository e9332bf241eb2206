// Package recorder is an admission webhook that allows everything and remembers what it was asked, and how: the
// whole review, the HTTP version, the name it was called by. Tests run one in their own process (Start); the
// command `controlplane record` runs one that writes each review to a file.
package recorder

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"driftbar.io/tests/controlplane/internal/pki"
)

// Request is the part of an AdmissionReview's request that tests look at most. All of it is in Review.Body.
type Request struct {
	UID         string          `json:"uid"`
	Operation   string          `json:"operation"`
	Name        string          `json:"name"`
	Namespace   string          `json:"namespace"`
	SubResource string          `json:"subResource"`
	Resource    Resource        `json:"resource"`
	UserInfo    UserInfo        `json:"userInfo"`
	Object      json.RawMessage `json:"object"`
	OldObject   json.RawMessage `json:"oldObject"`
}

// Resource names a kind of object as URLs do.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// UserInfo is who asked the API server.
type UserInfo struct {
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
}

// Review is one call.
type Review struct {
	Path     string // of the URL that was called, `/validate` or `/mutate`
	Protocol string // `HTTP/1.1`, `HTTP/2.0`
	Host     string // the name in the TLS handshake
	Request  Request
	Body     []byte // as sent
}

// What is the resource, with the subresource behind a slash if there is one.
func (r Review) What() string {
	if r.Request.SubResource == "" {
		return r.Request.Resource.Resource
	}
	return r.Request.Resource.Resource + "/" + r.Request.SubResource
}

// Recorder is a running webhook. Its methods may be called from any goroutine.
type Recorder struct {
	URL string // without a path: add `/validate` or `/mutate`
	CA  []byte // PEM, for caBundle

	server  *http.Server
	mutex   sync.Mutex
	reviews []Review
	heard   func(Review)
}

// Start listens on a free port of address and is called by the name host. Each review is given to heard, if that
// is not nil, before it is answered.
func Start(host, address string, heard func(Review)) (*Recorder, error) {
	authority, err := pki.NewAuthority("recorder")
	if err != nil {
		return nil, err
	}
	pair, err := authority.Server(host, address)
	if err != nil {
		return nil, err
	}
	certificate, err := pair.TLS()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return nil, err
	}
	r := &Recorder{CA: authority.Cert, heard: heard}
	r.URL = fmt.Sprintf("https://%s:%d", host, listener.Addr().(*net.TCPAddr).Port)
	// HTTP/2 is offered, too: which version comes is the caller's choice, and recorded.
	r.server = &http.Server{Handler: r, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go r.server.ServeTLS(listener, "", "") // until Close
	return r, nil
}

// Close ends it at once.
func (r *Recorder) Close() { r.server.Close() }

// Reviews are those so far for which keep is true; all of them for nil.
func (r *Recorder) Reviews(keep func(Review) bool) []Review {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var kept []Review
	for _, review := range r.reviews {
		if keep == nil || keep(review) {
			kept = append(kept, review)
		}
	}
	return kept
}

// ServeHTTP remembers a review and allows it. What is no review gets a 400.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, call *http.Request) {
	body, err := io.ReadAll(call.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var parsed struct{ Request Request }
	if err := json.Unmarshal(body, &parsed); err != nil || parsed.Request.UID == "" {
		http.Error(w, fmt.Sprintf("not an AdmissionReview: %v", err), http.StatusBadRequest)
		return
	}
	review := Review{Path: call.URL.Path, Protocol: call.Proto, Host: call.TLS.ServerName, Request: parsed.Request, Body: body}
	r.remember(review)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID)
}

func (r *Recorder) remember(review Review) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.reviews = append(r.reviews, review)
	if r.heard != nil {
		r.heard(review)
	}
}

// Indented is the review as it is kept in files: the same JSON, two blanks a level.
func (r Review) Indented() []byte {
	var text bytes.Buffer
	if err := json.Indent(&text, r.Body, "", "  "); err != nil {
		return r.Body // cannot be: it was parsed before
	}
	text.WriteByte('\n')
	return text.Bytes()
}
