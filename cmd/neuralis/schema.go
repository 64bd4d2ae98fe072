package main

import (
	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/manifest"
)

type schemaOptions struct {
	*globals
	document func() []byte
}

func newSchemaCommand(g *globals) *cobra.Command {
	document := func(use, short, long string, document func() []byte) *cobra.Command {
		opts := &schemaOptions{globals: g, document: document}
		return &cobra.Command{
			Use: use, Short: short, Long: long,
			Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return runSchema(opts) },
		}
	}
	return family(&cobra.Command{
		Use:   "schema <manifest|tool|host>",
		Short: "Print the JSON Schema of a file format",
		Long: `Print the JSON Schema (draft-07) of one of the files of a package, or of a host's
config, for editors and other checkers.`,
		Example: `  neuralis schema manifest > neuralis.schema.json`,
	},
		document("manifest", "JSON Schema of the manifest",
			"Print the JSON Schema of the manifest: the value of package.json#neuralis, or the whole of neuralis.package.json.",
			manifest.ManifestSchema),
		document("tool", "JSON Schema of tools/*.json",
			"Print the JSON Schema of a tool file, tools/<name>.json.", manifest.ToolSchema),
		document("host", "JSON Schema of neuralis.host.json",
			"Print the JSON Schema of the config of a host, neuralis.host.json.", config.Schema),
	)
}

func runSchema(o *schemaOptions) error {
	doc := o.document()
	if len(doc) > 0 && doc[len(doc)-1] != '\n' {
		doc = append(doc[:len(doc):len(doc)], '\n')
	}
	_, err := o.IO.Out.Write(doc)
	return err
}
