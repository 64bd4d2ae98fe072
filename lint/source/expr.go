package source

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// expr reads an expression or a declaration.
func (r *reader) expr(e js.IExpr) *Node {
	switch e := e.(type) {
	case nil:
		return nil
	case *js.Var:
		return r.ident(e)
	case *js.LiteralExpr:
		return r.literalExpr(e)
	case *js.VarDecl:
		return r.varDecl(e)
	case *js.FuncDecl:
		return r.function(e.Async, e.Name, &e.Params, &e.Body, "function")
	case *js.ArrowFunc:
		return r.function(e.Async, nil, &e.Params, &e.Body, "=>")
	case *js.MethodDecl:
		return r.method(e)
	case *js.ClassDecl:
		return r.class(e)
	case *js.GroupExpr:
		return r.node(Group, func(n *Node) { r.add(n, r.expr(e.X)) })
	case *js.DotExpr:
		return r.dot(e)
	case *js.IndexExpr:
		return r.index(e)
	case *js.CallExpr:
		return r.node(Call, func(n *Node) {
			callee := r.expr(e.X)
			r.add(n, callee)
			r.args(n, &e.Args)
			r.dynamicImport(n)
		})
	case *js.NewExpr:
		return r.node(New, func(n *Node) {
			n.Offset = r.cursor.take("new")
			r.add(n, r.expr(e.X))
			if e.Args != nil {
				r.args(n, e.Args)
			}
		})
	case *js.UnaryExpr:
		return r.unary(e)
	case *js.BinaryExpr:
		return r.node(Binary, func(n *Node) {
			n.Name = e.Op.String()
			r.add(n, r.expr(e.X), r.expr(e.Y))
		})
	case *js.CondExpr:
		return r.node(Cond, func(n *Node) { r.add(n, r.expr(e.Cond), r.expr(e.X), r.expr(e.Y)) })
	case *js.CommaExpr:
		return r.node(Other, func(n *Node) {
			for _, item := range e.List {
				r.add(n, r.expr(item))
			}
		})
	case *js.YieldExpr:
		return r.node(Other, func(n *Node) { r.add(n, r.expr(e.X)) })
	case *js.ArrayExpr:
		return r.node(Array, func(n *Node) {
			n.Offset = r.peek("[")
			for _, item := range e.List {
				r.add(n, r.spread(item.Spread, item.Value))
			}
		})
	case *js.ObjectExpr:
		return r.object(e)
	case *js.TemplateExpr:
		return r.template(e)
	case *js.ImportMetaExpr:
		return &Node{Kind: Other, Name: "import.meta", Offset: r.cursor.take("import")}
	case *js.NewTargetExpr:
		return &Node{Kind: Other, Name: "new.target", Offset: r.cursor.take("new")}
	}
	return nil
}

// peek is where the next token stands if it has that text, or -1.
func (r *reader) peek(text string) int {
	if next, at := r.cursor.next(); next == text {
		return at
	}
	return -1
}

func (r *reader) spread(is bool, e js.IExpr) *Node {
	if !is {
		return r.expr(e)
	}
	return r.node(Spread, func(n *Node) { r.add(n, r.expr(e)) })
}

func (r *reader) args(n *Node, args *js.Args) {
	for _, a := range args.List {
		r.add(n, r.spread(a.Rest, a.Value))
	}
}

func (r *reader) literalExpr(e *js.LiteralExpr) *Node {
	at := r.literal(e.Data)
	if e.TokenType == js.StringToken {
		text := unquote(string(e.Data))
		r.file.values = append(r.file.values, text)
		return &Node{Kind: String, Text: text, Offset: at}
	}
	return &Node{Kind: Literal, Name: string(e.Data), Offset: at}
}

// unquote is the value of a string literal; of one with escapes that Go does not have, its text.
func unquote(literal string) string {
	if len(literal) < 2 {
		return literal
	}
	body := literal[1 : len(literal)-1]
	if !strings.ContainsRune(body, '\\') {
		return body
	}
	var b strings.Builder
	for rest := body; rest != ""; {
		if strings.HasPrefix(rest, "\\") && len(rest) > 1 && strings.ContainsRune("'\"`$/", rune(rest[1])) {
			b.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return body
		}
		b.WriteRune(r)
		rest = tail
	}
	return b.String()
}

func (r *reader) template(e *js.TemplateExpr) *Node {
	if e.Tag == nil && len(e.List) == 0 {
		text := unquote(string(e.Tail))
		r.file.values = append(r.file.values, text)
		return &Node{Kind: String, Text: text, Offset: r.literal(e.Tail)}
	}
	return r.node(Template, func(n *Node) {
		r.add(n, r.expr(e.Tag))
		for i, part := range e.List {
			if at := r.literal(part.Value); i == 0 && len(n.Kids) == 0 {
				n.Offset = at
			}
			r.add(n, r.expr(part.Expr))
		}
		r.literal(e.Tail)
	})
}

func (r *reader) dot(e *js.DotExpr) *Node {
	return r.node(Member, func(n *Node) {
		r.add(n, r.expr(e.X))
		switch y := e.Y.(type) {
		case js.LiteralExpr:
			n.Name, n.Offset = string(y.Data), r.literal(y.Data)
		case *js.LiteralExpr:
			n.Name, n.Offset = string(y.Data), r.literal(y.Data)
		case *js.Var: // a private name
			n.Name, n.Offset = string(y.Data), r.cursor.take(string(y.Data))
		}
	})
}

func (r *reader) index(e *js.IndexExpr) *Node {
	return r.node(Index, func(n *Node) {
		x, y := r.expr(e.X), r.expr(e.Y)
		if y != nil && y.Kind == String {
			n.Kind, n.Name, n.Offset = Member, y.Text, y.Offset
			r.add(n, x)
			return
		}
		r.add(n, x, y)
	})
}

func (r *reader) unary(e *js.UnaryExpr) *Node {
	return r.node(Unary, func(n *Node) {
		n.Name = e.Op.String()
		if n.Name == "await" || n.Name == "typeof" || n.Name == "delete" || n.Name == "void" {
			n.Offset = r.cursor.take(n.Name)
		}
		r.add(n, r.expr(e.X))
	})
}

func (r *reader) function(async bool, name *js.Var, params *js.Params, body *js.BlockStmt, word string) *Node {
	return r.node(Func, func(n *Node) {
		n.Fn = &Function{Async: async, Arrow: word == "=>", Method: word == ""}
		if async && word != "" {
			n.Offset = r.cursor.take("async")
		}
		if word == "function" {
			if at := r.cursor.take(word); n.Offset < 0 {
				n.Offset = at
			}
		} else if n.Offset < 0 {
			_, n.Offset = r.cursor.next()
		}
		if name != nil {
			declared := r.declared(name)
			n.Fn.Name = declared.Name
			declared.Binding.Init, declared.Binding.Const = n, true
		}
		for _, p := range params.List {
			pattern := r.element(p)
			n.Fn.Params = append(n.Fn.Params, pattern)
			r.add(n, pattern)
		}
		r.add(n, r.pattern(params.Rest))
		if word == "=>" {
			r.cursor.take(word)
			if next, _ := r.cursor.next(); next != "{" {
				n.Fn.Body = r.arrowBody(body)
			}
		}
		if n.Fn.Body == nil {
			n.Fn.Body = r.block(body)
		}
		r.add(n, n.Fn.Body)
	})
}

// arrowBody is the body of an arrow function that is an expression: the parser has it as a return.
func (r *reader) arrowBody(body *js.BlockStmt) *Node {
	if len(body.List) != 1 {
		return nil
	}
	s, ok := body.List[0].(*js.ReturnStmt)
	if !ok {
		return nil
	}
	return r.node(Block, func(n *Node) {
		r.add(n, r.node(Return, func(n *Node) { r.add(n, r.expr(s.Value)) }))
	})
}

// propertyName reads the name of a property; empty for a computed one, which is then a node.
func (r *reader) propertyName(p *js.PropertyName) (name string, at int, computed *Node) {
	if p.Computed != nil {
		computed = r.expr(p.Computed)
		return "", -1, computed
	}
	at = r.literal(p.Literal.Data)
	name = string(p.Literal.Data)
	if p.Literal.TokenType == js.StringToken {
		name = unquote(name)
	}
	return name, at, nil
}

func (r *reader) method(m *js.MethodDecl) *Node {
	return r.node(Property, func(n *Node) {
		r.memberName(n, &m.Name)
		r.add(n, r.function(m.Async, nil, &m.Params, &m.Body, ""))
	})
}

func (r *reader) memberName(n *Node, name *js.ClassElementName) {
	if name.Private != nil {
		n.Name = string(name.Private.Data)
		n.Offset = r.cursor.take(n.Name)
		return
	}
	var computed *Node
	n.Name, n.Offset, computed = r.propertyName(&name.PropertyName)
	r.add(n, computed)
}

func (r *reader) class(c *js.ClassDecl) *Node {
	return r.node(Class, func(n *Node) {
		n.Offset = r.cursor.take("class")
		if c.Name != nil {
			declared := r.declared(c.Name)
			declared.Binding.Init, declared.Binding.Const = n, true
		}
		r.add(n, r.expr(c.Extends))
		for i := range c.List {
			switch item := &c.List[i]; {
			case item.StaticBlock != nil:
				r.add(n, r.block(item.StaticBlock))
			case item.Method != nil:
				r.add(n, r.method(item.Method))
			default:
				field := r.node(Property, func(p *Node) {
					r.memberName(p, &item.Name)
					r.add(p, r.expr(item.Init))
				})
				// What an instance's field is given runs when one is made, as the body of a function does.
				if !item.Static {
					wrapped := r.node(Func, func(f *Node) {
						f.Fn, f.Offset = &Function{Method: true}, field.Offset
						r.add(f, field)
					})
					field = wrapped
				}
				r.add(n, field)
			}
		}
	})
}

func (r *reader) object(o *js.ObjectExpr) *Node {
	return r.node(Object, func(n *Node) {
		n.Offset = r.peek("{")
		for i := range o.List {
			p := &o.List[i]
			if p.Spread {
				r.add(n, r.spread(true, p.Value))
				continue
			}
			if m, ok := p.Value.(*js.MethodDecl); ok {
				r.add(n, r.method(m))
				continue
			}
			r.add(n, r.node(Property, func(property *Node) {
				v, isVar := p.Value.(*js.Var)
				if p.Name != nil && !(isVar && p.Name.IsIdent(v.Data) && r.shorthand(p.Name)) {
					var computed *Node
					property.Name, property.Offset, computed = r.propertyName(p.Name)
					r.add(property, computed)
				} else if isVar {
					property.Name = string(v.Data)
				}
				r.add(property, r.expr(p.Value), r.expr(p.Init))
			}))
		}
	})
}

// shorthand reports whether a property whose value has its name is { name } and not { name: name }.
func (r *reader) shorthand(name *js.PropertyName) bool {
	at := r.offset(name.Literal.Data)
	for i := r.cursor.at; i < len(r.cursor.tokens) && i < r.cursor.at+window; i++ {
		if r.cursor.tokens[i].start == at {
			return i+1 >= len(r.cursor.tokens) || r.cursor.tokens[i+1].text != ":"
		}
	}
	return true
}
