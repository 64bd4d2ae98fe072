package source

import (
	"github.com/tdewolff/parse/v2/js"
)

func (r *reader) varDecl(d *js.VarDecl) *Node {
	return r.node(Other, func(n *Node) {
		n.Name = "declaration"
		for i := range d.List {
			element := &d.List[i]
			r.add(n, r.node(Declare, func(one *Node) {
				one.Name = d.TokenType.String()
				pattern := r.pattern(element.Binding)
				value := r.expr(element.Default)
				if pattern != nil && pattern.Kind == Ident {
					pattern.Binding.Init, pattern.Binding.Const = value, d.TokenType == js.ConstToken
				}
				r.add(one, pattern, value)
			}))
		}
	})
}

// element is a pattern with its default.
func (r *reader) element(e js.BindingElement) *Node {
	pattern := r.pattern(e.Binding)
	if e.Default == nil || pattern == nil {
		return pattern
	}
	return r.node(Pattern, func(n *Node) {
		n.Name = "="
		r.add(n, pattern, r.expr(e.Default))
	})
}

func (r *reader) pattern(b js.IBinding) *Node {
	switch b := b.(type) {
	case *js.Var:
		return r.declared(b)
	case *js.BindingArray:
		return r.node(Pattern, func(n *Node) {
			n.Name = "["
			for _, e := range b.List {
				r.add(n, r.element(e))
			}
			r.add(n, r.pattern(b.Rest))
		})
	case *js.BindingObject:
		return r.node(Pattern, func(n *Node) {
			n.Name = "{"
			for i := range b.List {
				item := &b.List[i]
				r.add(n, r.node(Property, func(p *Node) {
					v, isVar := item.Value.Binding.(*js.Var)
					if item.Key != nil && !(isVar && item.Key.IsIdent(v.Data) && r.shorthand(item.Key)) {
						var computed *Node
						p.Name, p.Offset, computed = r.propertyName(item.Key)
						r.add(p, computed)
					} else if isVar {
						p.Name = string(v.Data)
					}
					r.add(p, r.element(item.Value))
				}))
			}
			if b.Rest != nil {
				r.add(n, r.declared(b.Rest))
			}
		})
	}
	return nil
}

// importStatement notes what a statement imports. The names of imports are declared in no scope of the parser.
func (r *reader) importStatement(s *js.ImportStmt) {
	module := unquote(string(s.Module))
	if s.Default != nil {
		r.literal(s.Default)
		r.imports[string(s.Default)] = imported{module, "default"}
	}
	for _, a := range s.List {
		if a.Binding == nil {
			continue
		}
		as := a.Binding
		if a.Name != nil {
			as = a.Name
		}
		r.literal(a.Binding)
		r.imports[string(a.Binding)] = imported{module, exportName(as)}
	}
	r.file.Imports = append(r.file.Imports, Import{Module: module, Offset: r.literal(s.Module)})
}

func (r *reader) exportStatement(s *js.ExportStmt) *Node {
	if s.Decl == nil {
		r.exportList(s)
		return nil
	}
	return r.node(Exported, func(n *Node) {
		at := r.cursor.take("export")
		if s.Default {
			at = r.cursor.take("default")
		}
		decl := r.expr(s.Decl)
		r.add(n, decl)
		switch {
		case s.Default:
			r.file.Exports = append(r.file.Exports, Export{Name: "default", Value: decl, Offset: at})
		case decl == nil:
		case decl.Kind == Other: // a declaration of variables
			for _, one := range decl.Kids {
				r.exportPattern(one.Kids[0])
			}
		case decl.Kind == Func && decl.Fn.Name != "":
			r.exportNamed(decl.Fn.Name, decl)
		case decl.Kind == Class:
			for _, b := range r.bindings {
				if b.Init == decl && b.Decl != nil {
					r.file.Exports = append(r.file.Exports, Export{Name: b.Name, Value: decl, Offset: b.Decl.Offset})
				}
			}
		}
	})
}

// exportNamed exports a function that is declared where it is exported.
func (r *reader) exportNamed(name string, decl *Node) {
	at := decl.Offset
	for _, b := range r.bindings {
		if b.Init == decl && b.Decl != nil {
			at = b.Decl.Offset
		}
	}
	r.file.Exports = append(r.file.Exports, Export{Name: name, Value: decl, Offset: at})
}

func (r *reader) exportPattern(pattern *Node) {
	if pattern.Kind == Ident {
		r.file.Exports = append(r.file.Exports, Export{Name: pattern.Name, Value: pattern.Binding.Init, Offset: pattern.Offset})
		return
	}
	pattern.Walk(func(n *Node) bool {
		if n.Kind == Ident && n.Binding != nil && n.Binding.Decl == n {
			r.file.Exports = append(r.file.Exports, Export{Name: n.Name, Offset: n.Offset})
		}
		return true
	})
}

func (r *reader) exportList(s *js.ExportStmt) {
	module := ""
	if s.Module != nil {
		module = unquote(string(s.Module))
	}
	for _, a := range s.List {
		if a.Binding == nil {
			continue
		}
		local := a.Binding
		if a.Name != nil {
			local = a.Name
		}
		at := r.literal(a.Binding)
		if module == "" {
			r.exported = append(r.exported, pendingExport{len(r.file.Exports), string(local)})
		}
		r.file.Exports = append(r.file.Exports, Export{Name: exportName(a.Binding), Module: module, Offset: at})
	}
	if module != "" {
		r.file.Imports = append(r.file.Imports, Import{Module: module, Offset: r.literal(s.Module)})
	}
}

func exportName(name []byte) string {
	if len(name) > 1 && (name[0] == '"' || name[0] == '\'') {
		return unquote(string(name))
	}
	return string(name)
}

// dynamicImport notes an import() of a literal.
func (r *reader) dynamicImport(call *Node) {
	if len(call.Kids) < 2 || call.Kids[0].Kind != Literal || call.Kids[0].Name != "import" {
		return
	}
	if arg := call.Kids[1]; arg.Kind == String {
		r.file.Imports = append(r.file.Imports, Import{Module: arg.Text, Offset: arg.Offset, Dynamic: true})
	}
}
