// Package pki makes the certificates of a throw-away control plane: an Authority signs pairs for servers and
// for clients. It keeps nothing but what Save is asked to write, and it renews nothing: all of it lives as long as one test run.
//
// Keys are P-256, because ten of them are made in the time of one RSA key.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// lifetime is longer than any test run, and short enough that a forgotten key is soon worth nothing.
const lifetime = 30 * 24 * time.Hour

// Pair is a certificate and its key, both PEM.
type Pair struct{ Cert, Key []byte }

// Authority signs. Its Cert is what others trust.
type Authority struct {
	Pair
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes a self-signed authority called name.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	pair, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	return open(pair)
}

// LoadAuthority reads what Save wrote.
func LoadAuthority(certFile, keyFile string) (*Authority, error) {
	cert, err := os.ReadFile(certFile)
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	return open(Pair{Cert: cert, Key: key})
}

// Client issues a pair by which Kubernetes knows its owner as user, a member of groups.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.issue(pkix.Name{CommonName: user, Organization: groups}, x509.ExtKeyUsageClientAuth, nil)
}

// Server issues a pair for a server that is reached by hosts, each a DNS name or an IP address.
func (a *Authority) Server(hosts ...string) (Pair, error) {
	return a.issue(pkix.Name{CommonName: hosts[0]}, x509.ExtKeyUsageServerAuth, hosts)
}

// Save writes the pair, readable by its owner only.
func (p Pair) Save(certFile, keyFile string) error {
	if err := os.WriteFile(certFile, p.Cert, 0o600); err != nil {
		return err
	}
	return os.WriteFile(keyFile, p.Key, 0o600)
}

// TLS is the pair as crypto/tls wants it.
func (p Pair) TLS() (tls.Certificate, error) { return tls.X509KeyPair(p.Cert, p.Key) }

// SigningKey makes the key pair by which service account tokens are signed and checked.
func SigningKey() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if private, err = keyPEM(key); err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, nil, err
	}
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

func (a *Authority) issue(subject pkix.Name, usage x509.ExtKeyUsage, hosts []string) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(subject)
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return sign(template, a.cert, key, a.key)
}

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: subject,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}, nil
}

func sign(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (Pair, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return Pair{}, err
	}
	private, err := keyPEM(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: private}, nil
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func open(pair Pair) (*Authority, error) {
	loaded, err := pair.TLS()
	if err != nil {
		return nil, err
	}
	key, ok := loaded.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the authority's key is a %T, not an ECDSA key", loaded.PrivateKey)
	}
	return &Authority{Pair: pair, cert: loaded.Leaf, key: key}, nil
}
