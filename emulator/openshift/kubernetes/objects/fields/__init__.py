"""Who manages which field of an object: what server-side apply needs to know of types, values and earlier writes."""
