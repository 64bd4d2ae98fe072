package devserver

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Guard decides which requests are the author's. A page on the Web can make a browser send requests to a server on the
// author's machine, from a page of its own (Origin tells) or under a name of its own that leads to the machine (Host
// tells); neither gets an answer.
type Guard struct {
	// Hosts are the names under which the server may be asked, without ports. Addresses of loopback and localhost
	// always are.
	Hosts []string
	// Origins are those of pages that may read what the server answers, such as http://localhost:5173, besides the
	// server's own.
	Origins []string
	// Token is what requests have to come with; empty asks for none.
	Token string
}

// Wrap puts the guard in front of a handler.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.knows(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "unknown-host",
				fmt.Sprintf("this server is not %q: ask it by localhost, or name the host when it is started", clipped(r.Host)))
			return
		}
		if origins := r.Header.Values("Origin"); len(origins) > 0 {
			if len(origins) > 1 || !g.trusts(origins[0], r) {
				refuse(w, http.StatusForbidden, "foreign-origin", "requests from pages of other origins are not answered")
				return
			}
			if slices.Contains(g.Origins, origins[0]) {
				w.Header().Set("Access-Control-Allow-Origin", origins[0])
				w.Header().Add("Vary", "Origin")
				if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
					w.Header().Set("Access-Control-Allow-Methods", r.Header.Get("Access-Control-Request-Method"))
					if wanted := r.Header.Get("Access-Control-Request-Headers"); wanted != "" {
						w.Header().Set("Access-Control-Allow-Headers", wanted)
					}
					w.WriteHeader(http.StatusNoContent)
					return
				}
				w.Header().Set("Access-Control-Expose-Headers", "Mcp-Session-Id, X-Request-Id")
			}
		} else if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			refuse(w, http.StatusForbidden, "foreign-origin", "requests from pages of other origins are not answered")
			return
		}
		if g.Token != "" && subtle.ConstantTimeCompare([]byte(bearer(r)), []byte(g.Token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="neuralis dev"`)
			refuse(w, http.StatusUnauthorized, "unauthorized", "send the token that neuralis dev prints: Authorization: Bearer …")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether a Host header names this server.
func (g Guard) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "localhost" {
		return true
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(strings.Trim(h, "[]"), name) })
}

// trusts reports whether an Origin is the server's own, or one that it was told of.
func (g Guard) trusts(origin string, r *http.Request) bool {
	if slices.Contains(g.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

// bearer is the token of a request; empty where there is none, or more than one.
func bearer(r *http.Request) string {
	all := r.Header.Values("Authorization")
	if len(all) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(all[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// refuse answers with an error as the API does.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": code, "message": message}})
}

func clipped(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}
