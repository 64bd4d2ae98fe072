package source

import (
	"github.com/tdewolff/parse/v2/js"
)

// reader turns the parser's tree into nodes, in the order of the source.
type reader struct {
	file     *File
	room     int // the capacity of the buffer that was parsed
	cursor   cursor
	bindings map[*js.Var]*Binding
	// exported are the names of export lists, which are resolved when all declarations are known.
	exported []pendingExport
	// imports are the names that imports declare; the parser has them in no scope.
	imports map[string]imported
}

type imported struct{ module, name string }

type pendingExport struct {
	index int // in file.Exports
	local string
}

// expressions are the regular expressions, by how they begin.
func expressions(tree *js.AST) map[string][]string {
	found, seen := map[string][]string{}, map[string]bool{}
	js.Walk(literals(func(e *js.LiteralExpr) {
		if e.TokenType == js.RegExpToken {
			text := string(e.Data)
			if !seen[text] {
				seen[text] = true
				found[beginning(text)] = append(found[beginning(text)], text)
			}
		}
	}), tree)
	return found
}

// literals is a visitor of literals alone.
type literals func(*js.LiteralExpr)

func (visit literals) Enter(n js.INode) js.IVisitor {
	if e, ok := n.(*js.LiteralExpr); ok {
		visit(e)
	}
	return visit
}

func (literals) Exit(js.INode) {}

// offset is where a piece of the parsed text stands: pieces keep the room that is left behind them. It is -1 for text that
// is no piece.
func (r *reader) offset(piece []byte) int {
	at := r.room - cap(piece)
	if at < 0 || at+len(piece) > len(r.file.code) || string(r.file.code[at:at+len(piece)]) != string(piece) {
		return -1
	}
	return at
}

func (r *reader) read(tree *js.AST) {
	r.file.Root = r.node(Block, func(n *Node) {
		for _, s := range tree.List {
			r.add(n, r.statement(s))
		}
	})
	r.file.Root.Offset = 0
	top := map[string]*Binding{}
	for v, b := range r.bindings {
		if v.Decl != js.NoDecl || b.Decl != nil {
			continue
		}
		if from, ok := r.imports[b.Name]; ok {
			b.Imported, b.ImportedAs = from.module, from.name
			continue
		}
		b.Global = true
		r.file.Globals[b.Name] = b
	}
	for _, v := range tree.Declared {
		top[string(v.Data)] = r.binding(v)
	}
	for _, p := range r.exported {
		if b := top[p.local]; b != nil {
			r.file.Exports[p.index].Value = b.Init
		}
	}
}

// binding is what a variable of the parser means.
func (r *reader) binding(v *js.Var) *Binding {
	for v.Link != nil {
		v = v.Link
	}
	b := r.bindings[v]
	if b == nil {
		b = &Binding{Name: string(v.Data)}
		r.bindings[v] = b
	}
	return b
}

// node makes a node, with fill making what is below it.
func (r *reader) node(kind Kind, fill func(n *Node)) *Node {
	n := &Node{Kind: kind, Offset: -1}
	if fill != nil {
		fill(n)
	}
	if n.Offset < 0 && len(n.Kids) > 0 {
		n.Offset = n.Kids[0].Offset
	}
	return n
}

func (r *reader) add(n *Node, kids ...*Node) {
	for _, kid := range kids {
		if kid != nil {
			kid.Parent = n
			n.Kids = append(n.Kids, kid)
		}
	}
}

// literal is the place of text that is a piece of what was parsed; the tokens follow.
func (r *reader) literal(piece []byte) int {
	at := r.offset(piece)
	if at < 0 {
		return r.cursor.take(string(piece))
	}
	r.cursor.sync(at)
	return at
}

// ident is one use of a variable.
func (r *reader) ident(v *js.Var) *Node {
	if v == nil {
		return nil
	}
	name := string(v.Data)
	return &Node{Kind: Ident, Name: name, Binding: r.binding(v), Offset: r.cursor.take(name)}
}

// declared is the declaring use of a variable.
func (r *reader) declared(v *js.Var) *Node {
	n := r.ident(v)
	if n != nil && n.Binding.Decl == nil {
		n.Binding.Decl = n
	}
	return n
}

func (r *reader) block(b *js.BlockStmt) *Node {
	if b == nil {
		return nil
	}
	return r.node(Block, func(n *Node) {
		for _, s := range b.List {
			r.add(n, r.statement(s))
		}
	})
}

// statement reads a statement. Those that the linter tells nothing by become Other, with what is in them.
func (r *reader) statement(s js.IStmt) *Node {
	group := func(fill func(n *Node)) *Node { return r.node(Other, fill) }
	switch s := s.(type) {
	case nil, *js.EmptyStmt, *js.BranchStmt, *js.DebuggerStmt, *js.Comment, *js.DirectivePrologueStmt:
		return nil
	case *js.BlockStmt:
		return r.block(s)
	case *js.ExprStmt:
		return r.expr(s.Value)
	case *js.IfStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Cond), r.statement(s.Body), r.statement(s.Else)) })
	case *js.DoWhileStmt:
		return group(func(n *Node) { r.add(n, r.statement(s.Body), r.expr(s.Cond)) })
	case *js.WhileStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Cond), r.statement(s.Body)) })
	case *js.ForStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Init), r.expr(s.Cond), r.expr(s.Post), r.block(s.Body)) })
	case *js.ForInStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Init), r.expr(s.Value), r.block(s.Body)) })
	case *js.ForOfStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Init), r.expr(s.Value), r.block(s.Body)) })
	case *js.SwitchStmt:
		return group(func(n *Node) {
			r.add(n, r.expr(s.Init))
			for _, c := range s.List {
				r.add(n, r.expr(c.Cond))
				for _, inner := range c.List {
					r.add(n, r.statement(inner))
				}
			}
		})
	case *js.ReturnStmt:
		return r.node(Return, func(n *Node) {
			n.Offset = r.cursor.take("return")
			r.add(n, r.expr(s.Value))
		})
	case *js.WithStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Cond), r.statement(s.Body)) })
	case *js.LabelledStmt:
		return r.statement(s.Value)
	case *js.ThrowStmt:
		return group(func(n *Node) { r.add(n, r.expr(s.Value)) })
	case *js.TryStmt:
		return group(func(n *Node) {
			r.add(n, r.block(s.Body), r.pattern(s.Binding), r.block(s.Catch), r.block(s.Finally))
		})
	case *js.ImportStmt:
		r.importStatement(s)
		return nil
	case *js.ExportStmt:
		return r.exportStatement(s)
	case js.IExpr: // declarations
		return r.expr(s)
	}
	return nil
}
