package ports

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// The codes of errors about settings.
const (
	codeUnknownConfig = "unknown-config"
	codeInvalidConfig = "invalid-config"
)

// getConfig answers with the operator's value of a setting, else with that of the environment variable it falls back
// to, else with its default, else null.
func (p *ports) getConfig(_ context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Key string `json:"key"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	if p.Tier != trust.FirstParty {
		return nil, refuse(codeDenied, "settings are for first-party packages; the package %s is %s", p.ID, p.Tier)
	}
	i := slices.IndexFunc(p.Settings, func(s manifest.ConfigSetting) bool { return s.Key == r.Key })
	if i < 0 {
		return nil, refuse(codeUnknownConfig, "the setting %q is not declared in configSettings", r.Key)
	}
	setting := p.Settings[i]
	if p.Value != nil {
		if value, ok := p.Value(r.Key); ok {
			if !isOf(setting.Type, value) {
				return nil, refuse(codeInvalidConfig, "the setting %s has a value in the host's config that is no %s", r.Key, setting.Type)
			}
			return value, nil
		}
	}
	if p.Getenv != nil && setting.EnvFallback != "" {
		if text := p.Getenv(setting.EnvFallback); text != "" {
			if setting.Type == "string" {
				return text, nil
			}
			if !isOf(setting.Type, json.RawMessage(text)) {
				return nil, refuse(codeInvalidConfig, "the setting %s is a value of the environment variable %s that is no %s", r.Key, setting.EnvFallback, setting.Type)
			}
			return json.RawMessage(text), nil
		}
	}
	if len(setting.Default) == 0 {
		return nil, nil
	}
	return setting.Default, nil
}

// isOf reports whether a text is JSON of a type.
func isOf(kind string, text json.RawMessage) bool {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return false
	}
	switch first := text[0]; kind {
	case "string":
		return first == '"'
	case "boolean":
		return first == 't' || first == 'f'
	case "array":
		return first == '['
	case "object":
		return first == '{'
	case "number", "integer":
		var n json.Number
		if first == '"' || json.Unmarshal(text, &n) != nil || n == "" {
			return false
		}
		f, err := n.Float64()
		return err == nil && (kind == "number" || f == float64(int64(f)))
	}
	return true
}
