package manifest

import "encoding/json"

// Manifest is the manifest of a package.
type Manifest struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
}

// ToolExtension is the x-neuralis object of a tool file.
type ToolExtension struct {
	Family      string          `json:"family,omitempty"`
	Operation   string          `json:"operation,omitempty"`
	Transport   string          `json:"transport,omitempty"`
	Defaults    json.RawMessage `json:"defaults,omitempty"`
	Feature     string          `json:"feature,omitempty"`
	Annotations ToolAnnotations `json:"annotations"`
}

// ToolAnnotations describe a tool to clients and models.
type ToolAnnotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
	Category        string `json:"category"`
}
