package pki

import (
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"testing"
)

func parse(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(p.Cert)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func pool(a *Authority) *x509.CertPool {
	p := x509.NewCertPool()
	p.AppendCertsFromPEM(a.Cert)
	return p
}

func TestServerIsTrustedUnderEachOfItsNames(t *testing.T) {
	a, err := NewAuthority("ca")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := a.Server("gate.example", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, good := range map[string]bool{"gate.example": true, "127.0.0.1": true, "other.example": false, "127.0.0.2": false} {
		_, err := parse(t, pair).Verify(x509.VerifyOptions{Roots: pool(a), DNSName: name})
		if (err == nil) != good {
			t.Errorf("%s: trusted is to be %v, got %v", name, good, err)
		}
	}
}

func TestClientCarriesUserAndGroupsAndIsNoServer(t *testing.T) {
	a, err := NewAuthority("ca")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := a.Client("system:node:n1", "system:nodes")
	if err != nil {
		t.Fatal(err)
	}
	cert := parse(t, pair)
	if cert.Subject.CommonName != "system:node:n1" || len(cert.Subject.Organization) != 1 || cert.Subject.Organization[0] != "system:nodes" {
		t.Errorf("subject %v", cert.Subject)
	}
	if _, err := cert.Verify(x509.VerifyOptions{Roots: pool(a), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}); err == nil {
		t.Error("a client's certificate passes for a server's")
	}
}

func TestLoadedAuthoritySignsAsTheSavedOne(t *testing.T) {
	a, err := NewAuthority("ca")
	if err != nil {
		t.Fatal(err)
	}
	crt, key := filepath.Join(t.TempDir(), "ca.crt"), filepath.Join(t.TempDir(), "ca.key")
	if err := a.Save(crt, key); err != nil {
		t.Fatal(err)
	}
	b, err := LoadAuthority(crt, key)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := b.Server("gate.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, pair).Verify(x509.VerifyOptions{Roots: pool(a), DNSName: "gate.example"}); err != nil {
		t.Error(err)
	}
}
