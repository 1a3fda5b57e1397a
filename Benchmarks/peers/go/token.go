package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"sync"
	"time"
)

type user struct {
	id     string
	tenant string
}

// Checks HS256 tokens; the keyed hashes are reused, as keying one costs as much as hashing a token.
type tokenVerifier struct {
	hashes sync.Pool
}

func newTokenVerifier(secret string) *tokenVerifier {
	return &tokenVerifier{hashes: sync.Pool{
		New: func() interface{} { return hmac.New(sha256.New, []byte(secret)) },
	}}
}

func (verifier *tokenVerifier) verify(field []byte) (user, bool) {
	const scheme = "bearer "
	if len(field) <= len(scheme) || !bytes.EqualFold(field[:len(scheme)], []byte(scheme)) {
		return user{}, false
	}
	parts := bytes.Split(field[len(scheme):], []byte("."))
	if len(parts) != 3 {
		return user{}, false
	}
	var header struct{ Alg string }
	var claims struct {
		Sub         string
		Exp         float64
		AppMetadata struct {
			Tenant      string `json:"tenant_id"`
			TenantCamel string `json:"tenantId"`
		} `json:"app_metadata"`
	}
	if !decode(parts[0], &header) || header.Alg != "HS256" || !verifier.isSigned(parts) || !decode(parts[1], &claims) {
		return user{}, false
	}
	if claims.Exp <= float64(time.Now().Unix()) {
		return user{}, false
	}
	tenant := claims.AppMetadata.Tenant
	if tenant == "" {
		tenant = claims.AppMetadata.TenantCamel
	}
	return user{id: claims.Sub, tenant: tenant}, true
}

func (verifier *tokenVerifier) isSigned(parts [][]byte) bool {
	signature := make([]byte, base64.RawURLEncoding.DecodedLen(len(parts[2])))
	if _, err := base64.RawURLEncoding.Decode(signature, parts[2]); err != nil {
		return false
	}
	keyed := verifier.hashes.Get().(hash.Hash)
	defer verifier.hashes.Put(keyed)
	keyed.Reset()
	keyed.Write(parts[0])
	keyed.Write([]byte("."))
	keyed.Write(parts[1])
	return hmac.Equal(keyed.Sum(nil), signature)
}

func decode(part []byte, value interface{}) bool {
	text := make([]byte, base64.RawURLEncoding.DecodedLen(len(part)))
	if _, err := base64.RawURLEncoding.Decode(text, part); err != nil {
		return false
	}
	return json.Unmarshal(text, value) == nil
}

// Random bytes come in blocks: a system call per request would cost more than the rest of the identifier.
var randomSources = sync.Pool{
	New: func() interface{} { return bufio.NewReader(rand.Reader) },
}

// The client's request id when it is harmless, else a random one.
func requestID(given []byte) []byte {
	if len(given) > 0 && len(given) <= 128 && bytes.IndexFunc(given, func(c rune) bool { return c < 33 || c > 126 }) < 0 {
		return given
	}
	var random [16]byte
	source := randomSources.Get().(*bufio.Reader)
	io.ReadFull(source, random[:])
	randomSources.Put(source)
	identifier := make([]byte, 32)
	hex.Encode(identifier, random[:])
	return identifier
}
