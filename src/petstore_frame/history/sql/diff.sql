-- Lists the pets that came, went or changed between two listings, by id.
--
-- Reads the views old_pets and new_pets, each with one row per id. The first ? says whether old_pets
-- holds every pet of the store, the second ? whether new_pets does. Only then is a pet 'new' or
-- 'gone', otherwise it is 'first seen' or 'not seen'.
WITH proof AS (
  SELECT CAST(? AS BOOLEAN) AS is_old_complete, CAST(? AS BOOLEAN) AS is_new_complete
), compared AS (
  SELECT
    coalesce(new_pets.id, old_pets.id) AS id,
    CASE WHEN new_pets.id IS NULL THEN old_pets.name ELSE new_pets.name END AS name,
    CASE
      WHEN new_pets.id IS NULL THEN old_pets.category_id ELSE new_pets.category_id
    END AS category_id,
    CASE
      WHEN old_pets.id IS NULL AND is_old_complete THEN 'new'
      WHEN old_pets.id IS NULL THEN 'first seen'
      WHEN new_pets.id IS NULL AND is_new_complete THEN 'gone'
      WHEN new_pets.id IS NULL THEN 'not seen'
      ELSE 'changed'
    END AS kind,
    CASE WHEN old_pets.id IS NOT NULL THEN coalesce(old_pets.status, 'no status') END AS was,
    CASE WHEN new_pets.id IS NOT NULL THEN coalesce(new_pets.status, 'no status') END AS now,
    CASE
      WHEN old_pets.id IS NULL OR new_pets.id IS NULL THEN ''
      ELSE concat_ws(', ',
        CASE WHEN old_pets.name IS DISTINCT FROM new_pets.name THEN 'name' END,
        CASE WHEN old_pets.category_id IS DISTINCT FROM new_pets.category_id THEN 'category_id' END,
        CASE
          WHEN coalesce(old_pets.status, 'no status') <> coalesce(new_pets.status, 'no status')
          THEN 'status'
        END
        /* further fields */
      )
    END AS difference
  FROM old_pets
  FULL OUTER JOIN new_pets ON new_pets.id = old_pets.id
  CROSS JOIN proof
)
SELECT id, name, category_id, kind, was, now, difference
FROM compared
WHERE kind <> 'changed' OR difference <> ''
ORDER BY id
