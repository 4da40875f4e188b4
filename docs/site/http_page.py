"""The description of the service's interface, OpenAPI 3.0, as a page of Markdown: routes, fields, statuses.
SPDX-License-Identifier: Apache-2.0"""
METHODS = ("get", "post", "put", "patch", "delete")
LIMITS = (("minimum", "at least {}"), ("exclusiveMinimum", "more than {}"), ("maximum", "at most {}"),
          ("minLength", "at least {} bytes"), ("maxLength", "at most {} bytes"), ("minItems", "at least {} items"),
          ("maxItems", "at most {} items"), ("maxProperties", "at most {} entries"), ("pattern", "matches `{}`"))


def code(value):
    """A value as JSON writes it."""
    names = {True: "true", False: "false", None: "null"}
    return f"`{names[value] if isinstance(value, bool) or value is None else value}`"


def referred(name):
    """A link to the section of a schema or a response."""
    return f"[{name}](#{name.lower()})"


def type_of(schema):
    """What a field holds, in a few names."""
    if "$ref" in schema:
        return referred(schema["$ref"].rsplit("/", 1)[1])
    if len(schema.get("allOf", [])) == 1:
        return type_of(schema["allOf"][0])
    if schema.get("type") == "array":
        return "array of " + type_of(schema["items"])
    if "enum" in schema:
        return "one of " + ", ".join(code(value) for value in schema["enum"])
    if isinstance(schema.get("additionalProperties"), dict):
        return "object whose values are " + type_of(schema["additionalProperties"])
    return schema.get("type", "any value")


def properties_of(schema, required):
    """The type, limits and default of a field."""
    parts = [type_of(schema) + (" or null" if schema.get("nullable") else "")]
    parts += ["required"] if required else []
    parts += [text.format(schema[key]) for key, text in LIMITS if key in schema and not isinstance(schema[key], bool)]
    parts += [f"default {code(schema['default'])}"] if "default" in schema else []
    return ", ".join(parts)


def nested(schema):
    """The object that a field holds, itself or in an array."""
    while schema.get("type") == "array":
        schema = schema["items"]
    return schema


def fields(schema, depth=0):
    """An item per field of an object, those of objects in it below them."""
    lines = []
    for part in schema.get("allOf", []):
        lines += [f"{'  ' * depth}- all fields of {type_of(part)}"] if "$ref" in part else fields(part, depth)
    for name, field in schema.get("properties", {}).items():
        meaning = " ".join(field.get("description", "").split())
        line = f"{'  ' * depth}- **`{name}`** ({properties_of(field, name in schema.get('required', []))})"
        lines += [line + (f": {meaning}" if meaning else "")] + fields(nested(field), depth + 1)
    return lines


def content(holder):
    """What a body holds: its type, or the fields of an object without a name."""
    lines = []
    for kind, body in holder.get("content", {}).items():
        schema = body.get("schema", {})
        lines += [f"Body, `{kind}`: {type_of(schema)}", "", *fields(nested(schema)), ""]
    return lines


def responses(route):
    """An item per status, with what its body holds."""
    lines = ["Responses:", ""]
    for status, response in route["responses"].items():
        if "$ref" in response:
            lines.append(f"- **{status}**: {referred(response['$ref'].rsplit('/', 1)[1])}")
            continue
        bodies = [body.get("schema", {}) for body in response.get("content", {}).values()]
        lines.append(f"- **{status}**: {response['description']}" + "".join(f" Body: {type_of(s)}." for s in bodies))
        for schema in bodies:
            lines += fields(nested(schema), 1)
    return lines + [""]


def parameters(spec, path, route):
    """An item per parameter of a route, those of its path first."""
    lines = []
    for given in path.get("parameters", []) + route.get("parameters", []):
        found = spec["components"]["parameters"][given["$ref"].rsplit("/", 1)[1]] if "$ref" in given else given
        meaning = " ".join(found.get("description", "").split())
        line = f"- **`{found['name']}`** (in the {found['in']}, {properties_of(found['schema'], found.get('required'))})"
        lines.append(line + (f": {meaning}" if meaning else ""))
    return ["Parameters:", "", *lines, ""] if lines else []


def section(spec, url, method):
    """A route."""
    path = spec["paths"][url]
    route = path[method]
    lines = [f"### {method.upper()} {url}", "", f"{route['summary']}.", ""]
    lines += [route["description"], ""] if "description" in route else []
    lines += [f"Needs the right `{route['x-right']}`.", ""] if "x-right" in route else []
    lines += parameters(spec, path, route)
    return lines + content(route.get("requestBody", {})) + responses(route)


def routes(spec):
    """Each (path, method) of the description."""
    return [(url, method) for url, path in spec["paths"].items() for method in METHODS if method in path]


def page(spec):
    """The whole page."""
    lines = ["# HTTP interface", "", spec["info"]["description"], ""]
    lines += ["A running service has this description as `/openapi.json`.", ""]
    for scheme in spec["components"]["securitySchemes"].values():
        lines += [scheme["description"], ""]
    for tag in spec["tags"]:
        lines += [f"## Routes: {tag['name']}", "", tag["description"], ""]
        for url, method in routes(spec):
            if spec["paths"][url][method]["tags"][0] == tag["name"]:
                lines += section(spec, url, method)
    lines += ["## Bodies", ""]
    for name, schema in spec["components"]["schemas"].items():
        meaning = [schema["description"], ""] if "description" in schema else []
        lines += [f"### {name}", "", *meaning, *fields(schema), ""]
    lines += ["## Errors", ""]
    for name, response in spec["components"]["responses"].items():
        lines += [f"### {name}", "", response["description"], "", *content(response)]
    return "\n".join(lines) + "\n"
